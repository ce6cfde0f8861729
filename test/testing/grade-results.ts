/** What `petstore grade --json` prints, as far as tests read it. */
export interface Results {
  readonly passed: number;
  readonly failed: number;
  readonly warned: number;
  readonly skipped: number;
  readonly results: ReadonlyArray<{
    readonly name: string;
    readonly mark: string;
    readonly seen: string;
    readonly clients: ReadonlyArray<{ readonly requests: ReadonlyArray<{ at: number }> }>;
  }>;
}
