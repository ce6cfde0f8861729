/*
 * The sandbox in the dashboard's own API; see `api.ts`.
 */

/**
 * GET /api/sandbox -> SandboxInfo, which is also the reply of every other operation of the sandbox.
 */
export interface SandboxInfo {
  /** How far the account's clock in staging is ahead of real time, in ms. */
  readonly clockOffset: number;
  /** The account's time in staging when the reply was sent. All times here are on this clock. */
  readonly now: number;
  readonly minute: SandboxWindowInfo;
  readonly day: SandboxWindowInfo;
  /** Staging keys that are banned. */
  readonly bans: ReadonlyArray<{
    readonly keyId: string;
    readonly keyName: string;
    readonly lastFour: string;
    readonly endsAt: number;
  }>;
}

export interface SandboxWindowInfo {
  readonly limit: number;
  readonly used: number;
  readonly resetsAt: number;
}

/** PUT /api/sandbox/usage; at least one of the fields. */
export interface SandboxUsageChange {
  readonly minuteRemaining?: number;
  readonly dayRemaining?: number;
}

/** PUT /api/sandbox/bans/KEY_ID; DELETE ends the ban. POST /api/sandbox/reset takes no body. */
export interface SandboxBanChange {
  readonly seconds: number;
}
