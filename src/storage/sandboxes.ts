import { NO_SANDBOX, type Sandbox, type SandboxStore } from '../core/sandbox.ts';
import type { Access } from './access.ts';
import { SANDBOX_COLUMNS, sandboxFromRow } from './sandbox-rows.ts';
import { select } from './selection.ts';

const FIND = select('sandboxes', SANDBOX_COLUMNS, 'WHERE account_id = ?');

/** What accounts have set in the sandbox of staging, on either engine. */
export class StoredSandboxes implements SandboxStore {
  readonly #access: Access<unknown>;

  constructor(access: Access<unknown>) {
    this.#access = access;
  }

  async find(accountId: string): Promise<Sandbox> {
    const [row] = await this.#access.rows(FIND, accountId);
    return (row && sandboxFromRow(row)) ?? NO_SANDBOX;
  }
}
