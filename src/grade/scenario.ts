import type { Stability } from '../core/stability.ts';
import type { Instant } from '../lib/clock.ts';
import type { Task } from './tasks.ts';

/** A complete reply. */
export interface PlainReply {
  readonly status: number;
  /** By names in lower case; without Content-Length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How a reply is delivered: complete, not at all, only half of the body, or the body in small pieces. */
export type Delivery = 'whole' | 'lost' | 'truncated' | 'trickling';

/** How the referee treats a request. Without any of these, the service answers it. */
export interface Treatment {
  /** The reply; the service never receives the request. */
  readonly instead?: PlainReply;
  /** Changes the reply of the service. */
  readonly edit?: (reply: PlainReply) => PlainReply;
  readonly delivery?: Delivery;
}

/** A request as recorded by the referee, with its reply. Times are in ms since the client was started. */
export interface SeenRequest {
  readonly at: number;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: string;
  readonly idempotencyKey: string | undefined;
  readonly ifMatch: string | undefined;
  /** Whether it has an Authorization header. */
  readonly authorized: boolean;
  /** The server that it was sent to: the one given to the client, or another one named by a reply. */
  readonly host: 'service' | 'other';
  /** Absent until the request is answered. */
  reply?: SeenReply;
}

interface SeenReply {
  /** When the reply started. */
  readonly at: number;
  readonly status: number;
  readonly delivery: Delivery;
  /** In seconds. */
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;
  /** Whether a Link header leads to a next page. */
  readonly hasNext: boolean;
}

/** The state in which a scenario decides about a request. */
export interface Situation {
  readonly now: Instant;
  /** In ms since the client was started. */
  readonly at: number;
  /** Earlier requests to the service, in their order. */
  readonly earlier: readonly SeenRequest[];
  /** The origin that the client was given. */
  readonly origin: string;
  /** The origin of a second server that the client was not given. */
  readonly otherOrigin: string;
}

/** One run of the client, as observed from outside. */
export interface ClientRun {
  /** `undefined` if the client was ended because its time was up. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** In the order of their arrival. */
  readonly requests: readonly SeenRequest[];
}

/** A pet in the store. */
export interface StoredPet {
  readonly id: bigint;
  readonly categoryId: bigint;
}

/** The evidence that a scenario judges by. */
export interface Observation {
  /** One run for each started client. */
  readonly runs: readonly [ClientRun, ...ClientRun[]];
  /** Ids of all pets before the run, in the order of the list. */
  readonly listed: readonly bigint[];
  /** Pets that were created during the run. */
  readonly created: readonly StoredPet[];
}

export interface Judgement {
  /** `skipped`: nothing can be said, because the client does not know the task or the service lacks the operation. */
  readonly mark: 'passed' | 'failed' | 'warned' | 'skipped';
  /** One or two sentences. */
  readonly seen: string;
}

/** One situation that tests a client, with the expected behaviour. */
export interface Scenario {
  /** The name for `--only`. */
  readonly name: string;
  /** What a good client does; continues "The client …". */
  readonly title: string;
  /** The standard or document that requires it. */
  readonly standard: string;
  readonly expected: string;
  readonly task: Task;
  /** The stability of the operations that the task needs; stable unless given. */
  readonly stability?: Stability;
  /** Additional environment variables for the client. */
  readonly variables?: Readonly<Record<string, string>>;
  /** How many clients are started at the same time; 1 unless given. */
  readonly clients?: number;
  /** How long the client may take after its first request, in ms. */
  readonly timeLimit: number;
  treat(request: SeenRequest, situation: Situation): Treatment;
  judge(observation: Observation): Judgement;
}
