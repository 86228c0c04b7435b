/** Base of the errors of this package. */
export class SpillwayError extends Error {}

/** The gateway will never accept the item as it is. */
export class Refused extends SpillwayError {
  readonly status: number;
}

/** The item was not confirmed in time. It may have been stored: send it again with the same id. */
export class NotAccepted extends SpillwayError {
  readonly id: string;
}

/** No later attempt can succeed: the item becomes a dead letter with this reason. */
export class Dead extends SpillwayError {
  constructor(reason: string);
}

/** The destination cannot work now. That is not the item's fault, and does not count towards its attempts. */
export class Unavailable extends SpillwayError {
  constructor(cause: string);
}

/** It is too early for the item, and nothing was attempted. */
export class Later extends SpillwayError {
  /**
   * @param millis to wait; less than 0 counts as 0, and more than 2,592,000,000 (30 days) as that
   * @throws RangeError if it is no number, or NaN
   */
  constructor(millis: number);
  readonly millis: number;
}

/** Options of node:tls, such as ca. */
export type TlsOptions = Record<string, unknown>;

export interface ProducerOptions {
  /** How long an item is sent again until it is accepted; default 60,000. */
  timeoutMillis?: number;
  tls?: TlsOptions;
}

export interface SendOptions {
  /** 1 to 256 printable ASCII characters; a random one by default. An item with an id that is known is dropped. */
  id?: string;
  /** Required with the key of a service. */
  tenant?: string;
  workload?: string;
  /** Default application/octet-stream. */
  contentType?: string;
  /** 0 to 9. */
  priority?: number;
  /** 1 to 256 printable ASCII characters; items of a tenant with the same one are handled one at a time. */
  orderKey?: string;
  /** A number is epoch milliseconds, a text ISO 8601. */
  deliverAt?: Date | number | string;
  attributes?: Record<string, string>;
  /** Further headers of the request, such as traceparent. */
  headers?: Record<string, string>;
}

/** What became of an item. */
export interface ItemState {
  id: string;
  tenant: string;
  state: "waiting" | "running" | "done" | "dropped" | "dead";
  /** Of one that waits or runs. */
  lane?: string;
  /** Why it is in its lane, was dropped or is dead. */
  reason?: string;
  /** Attempts that have ended. */
  attempts: number;
  /** When it last moved, ISO 8601. */
  since: string;
}

/** Sends items to a gateway, over connections that are kept. */
export class Producer {
  constructor(url: string, key: string, options?: ProducerOptions);
  /**
   * Stores an item and resolves to its id.
   * @throws Refused if the item is wrong
   * @throws TypeError if an id, a name, the content type or a header has a character that no HTTP header can have
   * @throws NotAccepted if it was not confirmed in time, or the producer was closed
   */
  send(payload: string | Uint8Array, options?: SendOptions): Promise<string>;
  /**
   * Resolves to what became of the newest item with an id; undefined if none is known. The tenant, required with the
   * key of a service, must have the policy tracked.
   * @throws Refused for any other answer
   */
  state(id: string, options?: { tenant?: string }): Promise<ItemState | undefined>;
  /** Rejects sends that wait, with NotAccepted, and closes the connections. */
  close(): void;
}

/** Item that was leased. */
export interface Item {
  readonly tenant: string;
  /** The same if the item comes again. */
  readonly id: string;
  readonly workload: string;
  /** 1 for the first. */
  readonly attempt: number;
  readonly lane: string;
  /** ISO 8601. */
  readonly enqueuedAt: string;
  readonly contentType: string;
  readonly attributes: Record<string, string>;
  /** In order; a name may occur several times. */
  readonly headers: ReadonlyArray<{ name: string; value: Uint8Array | null }>;
  readonly payload: Uint8Array;
  /** End of the attempt. */
  readonly leaseUntil: Date;
  /** Extends the lease, by default by its first length, and resolves to its end. */
  renew(millis?: number): Promise<Date>;
}

export interface WorkerOptions {
  /** Items at a time, 1 to 100; default 4. */
  concurrency?: number;
  /** Whether SIGTERM and SIGINT stop it; default true. */
  signals?: boolean;
  log?: (line: string) => void;
  tls?: TlsOptions;
}

/** Leases as many items as it may handle at a time, and hands each to the handler. Started once. */
export class Worker {
  /** @param url of processes with handler.type pull */
  constructor(url: string, key: string, handle: (item: Item) => unknown, options?: WorkerOptions);
  /** Works until a stop, a SIGTERM or a SIGINT; a second signal ends the process. */
  run(): Promise<void>;
  /** Makes run end after the items that the worker has, in at most two seconds and their time. */
  stop(): void;
}
