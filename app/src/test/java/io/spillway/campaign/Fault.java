package io.spillway.campaign;

/** Kind of fault. */
enum Fault {
    KILL_ROUTER(Target.ROUTER), KILL_WORKER(Target.WORKER), KILL_GATEWAY(Target.GATEWAY),
    STOP_ROUTER(Target.ROUTER), STOP_WORKER(Target.WORKER), STOP_GATEWAY(Target.GATEWAY),
    /** Suspended for longer than every timeout, and then a zombie. */
    SUSPEND_ROUTER(Target.ROUTER), SUSPEND_WORKER(Target.WORKER), SUSPEND_GATEWAY(Target.GATEWAY),
    /** The router is killed, and a file of its state is damaged. */
    DAMAGE_STATE(Target.ROUTER),
    /** The router is killed, and its state directory is lost. */
    LOSE_STATE(Target.ROUTER),
    KILL_BROKER(Target.BROKER), STOP_BROKER(Target.BROKER), SUSPEND_BROKER(Target.BROKER),
    KILL_ALL_BROKERS(Target.BROKER),
    SLOW_NETWORK(Target.LINK), SILENT_NETWORK(Target.LINK), NOTHING_IN(Target.LINK), NOTHING_OUT(Target.LINK),
    CLOSED_NETWORK(Target.LINK), TRICKLE(Target.LINK),
    /** Policies change, a tenant is paused and resumed, isolated and released, swept. */
    CHANGE_POLICIES(Target.POLICIES);

    /** What a fault hits. */
    enum Target { ROUTER, WORKER, GATEWAY, BROKER, LINK, POLICIES }

    final Target target;

    Fault(Target target) {
        this.target = target;
    }
}
