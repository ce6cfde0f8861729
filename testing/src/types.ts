/** The plan of an account. */
export type Plan = 'free' | 'pro' | 'business' | 'enterprise';
export type Environment = 'production' | 'staging';

/** What a service begins with; `petstore fixture-schema` prints its schema. Everything is optional. */
export interface Fixture {
  /** The time of the service at its start: one of the two. */
  readonly clock?: { readonly now?: string; readonly advanceSeconds?: number };
  readonly accounts?: ReadonlyArray<{
    readonly email: string;
    /** Free unless it is named. */
    readonly plan?: Plan;
    /** For Enterprise only. */
    readonly perMinute?: number;
    /** For Enterprise only. */
    readonly perDay?: number;
    readonly role?: 'customer' | 'operator';
    readonly keys?: ReadonlyArray<{
      readonly environment?: Environment;
      /** The prefix of its environment and 36 letters and digits; generated when it is left out. */
      readonly key?: string;
      readonly name?: string;
      /** ISO 8601, UTC. */
      readonly expiresAt?: string;
    }>;
  }>;
  readonly pets?: Readonly<Partial<Record<Environment, readonly FixturePet[]>>>;
  readonly messages?: ReadonlyArray<{
    /** E-mail address of the account. */
    readonly account: string;
    readonly environment?: Environment;
    readonly message: string;
  }>;
  readonly bans?: ReadonlyArray<{ readonly key: string; readonly seconds: number }>;
  readonly usage?: ReadonlyArray<{
    /** E-mail address of the account. */
    readonly account: string;
    readonly environment?: Environment;
    readonly minuteUsed?: number;
    readonly dayUsed?: number;
  }>;
}

/** An animal of a fixture. Ids begin with 1, in the order of the list. */
export interface FixturePet {
  readonly name: string;
  /** Beyond 2^53 - 1 the decimal digits, as a string. */
  readonly categoryId: number | string;
  readonly status?: 'available' | 'pending' | 'sold';
}

/** Which requests meet a simulation. */
export interface SimulationOptions {
  /** How many, from 1 to 1,000,000; all of them unless it is given. */
  readonly times?: number;
  /** Those of this method; all of them unless it is given. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'OPTIONS';
}

/** An account that a test asks for. */
export interface NewAccount {
  /** One of its own unless it is given. */
  readonly email?: string;
  /** Free unless it is given. */
  readonly plan?: Plan;
  /** For Enterprise only. */
  readonly perMinute?: number;
  /** For Enterprise only. */
  readonly perDay?: number;
}

/** An account with a key for each environment. */
export interface Account {
  readonly email: string;
  readonly key: string;
  readonly stagingKey: string;
}

/** A request as it arrived at the API. */
export interface RecordedRequest {
  /** ISO 8601, UTC; by the clock of the service. */
  readonly at: string;
  /** `null` where no reply was sent. */
  readonly requestId: string | null;
  readonly method: string;
  /** With the base address and the query. */
  readonly url: string;
  /** By names in lower case; without Authorization. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Of the reply; `null` where a simulation ended the connection without one. */
  readonly status: number | null;
  /** The error code of the reply; `null` where it reports none. */
  readonly code: string | null;
  /** From the arrival to the reply, in ms. */
  readonly durationMs: number;
}

/** A key of the service, as its ready file lists it. */
export interface ServiceKey {
  /** E-mail address of its account. */
  readonly account: string;
  readonly environment: Environment;
  readonly name: string;
  /** Its text. */
  readonly key: string;
}

/** What the ready file of a service says. */
export interface Ready {
  readonly addresses: Readonly<
    Record<Environment | 'quickstart' | 'sandbox' | 'dashboard' | 'ops', string>
  >;
  readonly keys: readonly ServiceKey[];
  readonly control: { readonly url: string; readonly token: string };
}
