package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import java.util.List;

/**
 * Invariants after every step of a simulation, recomputed from the loads of all tenants: the bounds hold, and no slot
 * is idle while an item may start.
 */
final class DispatchRules {
    private final DispatchSimulation simulation;
    private final List<String> tenants;
    private final String context;
    long checked;
    long checkedWithIdleSlots;

    /**
     * @param tenants all tenants of the simulation; those named {@code old…} have items in the aged lane only
     */
    DispatchRules(DispatchSimulation simulation, List<String> tenants, String context) {
        this.simulation = simulation;
        this.tenants = tenants;
        this.context = context;
    }

    void check() {
        FairDispatch<?> dispatch = simulation.dispatch;
        DispatchSettings settings = simulation.settings();
        checked++;
        require(dispatch.pool.inFlight <= settings.slots(), "all", "slots");
        for (Lane lane : List.of(Lane.HOT, Lane.OVERFLOW, Lane.AGED)) {
            require(dispatch.waiting(lane) <= settings.readAheadItems() + 500, "all", "read-ahead");
        }
        int inFlight = 0;
        for (String tenant : tenants) {
            TenantLoad load = TenantLoad.of(dispatch, tenant).orElse(TenantLoad.NONE);
            require(load.inFlight() <= simulation.policy(tenant).concurrency(), tenant, "is over its concurrency");
            inFlight += load.inFlight();
        }
        require(inFlight == dispatch.pool.inFlight, "all", "the sum of all tenants is what is in flight");
        if (inFlight < settings.slots()) {
            checkedWithIdleSlots++;
            checkNobodyMayStart(dispatch.pool.mayLend(), dispatch.pool.mayLendLong());
        }
    }

    private void checkNobodyMayStart(boolean mayLend, boolean mayLendLong) {
        for (String tenant : tenants) {
            TenantLoad load = TenantLoad.of(simulation.dispatch, tenant).orElse(TenantLoad.NONE);
            boolean mayWait = tenant.startsWith("old") && !simulation.isCaughtUp();
            if (load.waiting() > 0 && load.inFlight() < load.cap() && !mayWait) {
                require(load.inFlight() >= load.share(), tenant, "is below its share and waits");
                require(!(load.isLong() ? mayLendLong : mayLend), tenant, "waits while a slot is lent");
            }
        }
    }

    private void require(boolean holds, String whose, String what) {
        if (!holds) {
            assertThat(holds).as("%s, at %.3f ms: %s %s", context, simulation.nowMillis, whose, what).isTrue();
        }
    }
}
