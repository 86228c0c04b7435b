package io.spillway.bench.load;

import java.util.ArrayList;
import java.util.List;

/**
 * Timeline and traffic of a run with a failing destination: all is well for {@code wellSeconds}, the fault lasts for
 * {@code faultSeconds}, and traffic goes on for {@code afterSeconds}.
 *
 * @param workers       1 or more
 * @param slots         of each worker
 * @param tenants       1 or more
 * @param rate          items a second of each tenant whose destination works
 * @param failing       tenants whose destination fails, 1 to all
 * @param failingRate   items a second of each of these
 * @param handlerMillis what a call takes; 0 for as long as a fifth of all slots is busy
 */
record FaultPlan(
        int workers, int slots, int tenants, double rate, int failing, double failingRate, int handlerMillis,
        int wellSeconds, int faultSeconds, int afterSeconds) {
    private static final double CALM_LOAD = 0.2;
    private static final double AFTER_IDEAL = 1.25;
    private static final int MIN_AFTER_SECONDS = 30;

    FaultPlan {
        if (failing < 1 || failing > tenants) {
            throw new IllegalArgumentException(failing + " of " + tenants + " tenants cannot fail");
        }
        handlerMillis = handlerMillis > 0 ? handlerMillis : (int) Math.max(1, Math.round(
                CALM_LOAD * 1e3 * workers * slots / perSecond(tenants, rate, failing, failingRate)));
        if (handlerMillis * perSecond(tenants, rate, failing, failingRate) >= 1e3 * workers * slots) {
            throw new IllegalArgumentException("calls of " + handlerMillis + " ms leave no slot free");
        }
    }

    /** Traffic after the fault lasts 30 s, and after an outage a quarter longer than its ideal time besides. */
    static FaultPlan of(
            int workers, int slots, int tenants, double rate, int failing, double failingRate, int handlerMillis,
            int wellSeconds, int faultSeconds, boolean isOutage) {
        FaultPlan plan = new FaultPlan(workers, slots, tenants, rate, failing, failingRate, handlerMillis, wellSeconds,
                faultSeconds, MIN_AFTER_SECONDS);
        long backlog = isOutage ? (long) (failing * failingRate * faultSeconds) : 0;
        int more = (int) Math.ceil(AFTER_IDEAL * plan.idealSeconds(backlog, plan.handlerMillis()));
        return new FaultPlan(workers, slots, tenants, rate, failing, failingRate, handlerMillis, wellSeconds,
                faultSeconds, MIN_AFTER_SECONDS + more);
    }

    boolean isFailing(int tenant) {
        return tenant < failing;
    }

    boolean isSound(int tenant) {
        return !isFailing(tenant);
    }

    /** When the destination works again, from the start of the run. */
    int backSecond() {
        return wellSeconds + faultSeconds;
    }

    int seconds() {
        return backSecond() + afterSeconds;
    }

    double perSecond() {
        return perSecond(tenants, rate, failing, failingRate);
    }

    /** Of so many seconds; the failing tenants are the first ones. */
    Traffic traffic(int seconds) {
        List<Flow> flows = new ArrayList<>();
        flows.add(Flow.steady(0, failing, failing * failingRate, 0, seconds));
        if (failing < tenants) {
            flows.add(Flow.steady(failing, tenants - failing, (tenants - failing) * rate, 0, seconds));
        }
        return new Traffic(flows);
    }

    /** Seconds that a backlog takes in the slots that the traffic leaves; infinite when it leaves none. */
    double idealSeconds(long backlog, double callMillis) {
        double free = 1e3 * workers * slots / callMillis - perSecond();
        return free > 0 ? backlog / free : Double.POSITIVE_INFINITY;
    }

    private static double perSecond(int tenants, double rate, int failing, double failingRate) {
        return failing * failingRate + (tenants - failing) * rate;
    }
}
