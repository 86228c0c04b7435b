package io.spillway.campaign;

/** Kind of fault. */
enum Fault {
    KILL_ROUTER(Target.ROUTER), KILL_WORKER(Target.WORKER), KILL_GATEWAY(Target.GATEWAY),
    STOP_ROUTER(Target.ROUTER), STOP_WORKER(Target.WORKER), STOP_GATEWAY(Target.GATEWAY),
    /** Every process is stopped and started again, one after the other. */
    ROLLING_RESTART(Target.CLUSTER),
    /** Half of them for longer than the session, 10 s, and then a zombie. */
    SUSPEND_ROUTER(Target.ROUTER), SUSPEND_WORKER(Target.WORKER), SUSPEND_GATEWAY(Target.GATEWAY),
    /** The clock of a process or a broker is wrong by up to two minutes, forward or back, and then right again. */
    STEP_CLOCK(Target.CLOCK),
    /** The clock of a process or a broker is a tenth too fast, and then right again. */
    DRIFT_CLOCK(Target.CLOCK),
    /** The router is killed, and a file of its state is damaged. */
    DAMAGE_STATE(Target.ROUTER),
    /** The router is killed, and its state directory is lost. */
    LOSE_STATE(Target.ROUTER),
    /** The router cannot write to any file. */
    FULL_DISK_OF_ROUTER(Target.ROUTER),
    KILL_BROKER(Target.BROKER), STOP_BROKER(Target.BROKER), SUSPEND_BROKER(Target.BROKER),
    KILL_ALL_BROKERS(Target.BROKER),
    /** The broker that is the active controller. */
    KILL_CONTROLLER(Target.BROKER),
    /** The machine of a broker loses its power: the broker ends, and loses what it has not synced. */
    POWER_OFF_BROKER(Target.BROKER),
    /** The broker cannot write to any file, and ends. */
    FULL_DISK_OF_BROKER(Target.BROKER),
    SLOW_NETWORK(Target.LINK), SILENT_NETWORK(Target.LINK), NOTHING_IN(Target.LINK), NOTHING_OUT(Target.LINK),
    CLOSED_NETWORK(Target.LINK), TRICKLE(Target.LINK),
    /** Packets between a broker, and all others and all processes, are dropped. */
    ISOLATE_BROKER(Target.NETWORK),
    PART_TWO_BROKERS(Target.NETWORK), CUT_BROKER_FROM_BROKERS(Target.NETWORK), CUT_BROKER_FROM_CLIENTS(Target.NETWORK),
    CUT_CLIENT_FROM_BROKERS(Target.NETWORK),
    /** The other brokers get no packet of a broker, which gets theirs. */
    MUTE_BROKER(Target.NETWORK),
    /** The broker answers some requests of a role with errors, and carries out half of these all the same. */
    ERRORS(Target.LINK),
    /** Quotas let every client read and write a few kilobytes a second. */
    THROTTLE(Target.CLUSTER),
    /** The leaders of the topics of offsets and transactions move to other brokers, again and again. */
    MOVE_COORDINATORS(Target.CLUSTER),
    /** All members are removed from their groups, again and again. */
    REBALANCE_STORM(Target.CLUSTER),
    /** Somebody else's transaction stays open in ingress and hot. */
    OPEN_TRANSACTION(Target.CLUSTER),
    /** Policies change, a tenant is paused and resumed, isolated and released, swept. */
    CHANGE_POLICIES(Target.CLUSTER);

    /** What a fault hits. */
    enum Target { ROUTER, WORKER, GATEWAY, BROKER, LINK, NETWORK, CLOCK, CLUSTER }

    final Target target;

    Fault(Target target) {
        this.target = target;
    }
}
