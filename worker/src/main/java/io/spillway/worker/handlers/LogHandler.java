package io.spillway.worker.handlers;

import io.spillway.core.text.Printable;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.HandlerContext;
import io.spillway.handler.HandlerType;
import io.spillway.handler.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handler that logs one line for each item, for trials. */
final class LogHandler implements Handler {
    private static final Logger LOG = LoggerFactory.getLogger(LogHandler.class);

    /** Handler type {@code log}. */
    public static final class Type implements HandlerType<HandlerType.NoSettings> {
        @Override
        public String name() {
            return "log";
        }

        @Override
        public Class<NoSettings> settings() {
            return NoSettings.class;
        }

        @Override
        public Handler create(NoSettings settings, HandlerContext context) {
            return new LogHandler();
        }
    }

    @Override
    public Outcome handle(Delivery delivery) {
        LOG.info("tenant={} id={} workload={} attempt={} lane={} bytes={}",
                delivery.tenant(), Printable.of(delivery.id()), delivery.workload(), delivery.attempt(),
                delivery.lane(), delivery.payload().length);
        return Outcome.done();
    }

    @Override
    public boolean leavesThreadClean() {
        return true;
    }
}
