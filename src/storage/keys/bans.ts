import type { Actor } from '../../core/accounts/audit.ts';
import { StorageUnavailable } from '../../core/errors.ts';
import type { BanRecord, BanStore } from '../../core/limits/ban-records.ts';
import type { Access } from '../access.ts';
import { recordAudit } from '../accounts/audit.ts';
import { recordChange } from '../change-log.ts';
import type { Transaction } from '../schema/schema.ts';
import { type Selection, type SelectionValue, select } from '../schema/selection.ts';
import { ownerFromRow } from './api-key-rows.ts';

const COLUMNS = [
  ...(['id', 'key_id', 'account_id', 'environment', 'reason', 'level', 'starts_at'] as const),
  ...(['ends_at', 'lifted_at', 'lifted_by', 'chain_id', 'clock_offset'] as const),
] as const;

// Without Kysely, because every start reads the active bans.
const ACTIVE = select(
  'bans',
  COLUMNS,
  'WHERE ends_at > ? AND lifted_at IS NULL ORDER BY bans.starts_at',
);
const ONE = select('bans', COLUMNS, 'WHERE id = ?');
const SINCE = select('bans', COLUMNS, 'WHERE ends_at > ? ORDER BY bans.starts_at');
const LIFTED = select('bans', COLUMNS, 'WHERE ends_at > ? AND lifted_at IS NOT NULL');
const OF_ACCOUNT = select(
  'bans',
  COLUMNS,
  'WHERE account_id = ? AND ends_at > ? ORDER BY bans.starts_at DESC, bans.id DESC LIMIT ?',
);

/** The clocks of accounts that may let bans end earlier. */
const CLOCKS = select(
  'sandboxes',
  ['account_id', 'clock_offset'],
  `WHERE clock_offset > 0 AND account_id IN
     (SELECT account_id FROM bans WHERE environment = 'staging' AND ends_at > ?)`,
);

type BanRow = NonNullable<(typeof ACTIVE)['row']>;

export const banChanges = {
  /** May run again if it is unknown whether it was committed. */
  async recordBan(transaction: Transaction, ban: BanRecord): Promise<void> {
    await insertBan(transaction, ban);
  },

  /** `false` when there is no such active ban. */
  async liftBan(transaction: Transaction, id: string, by: Actor, at: number): Promise<boolean> {
    const lifted = await transaction
      .updateTable('bans')
      .set({ lifted_at: at, lifted_by: by })
      .where('id', '=', id)
      .where('lifted_at', 'is', null)
      .where('ends_at', '>', at)
      .returning(['key_id', 'account_id'])
      .executeTakeFirst();
    if (!lifted) return false;
    await recordChange(transaction, 'ban', id);
    const { key_id, account_id: accountId } = lifted;
    const detail = `${id} of key ${key_id}`;
    await recordAudit(transaction, { at, by, action: 'ban.lifted', accountId, detail });
    return true;
  },
};

/** Stored bans, on either engine. */
export class StoredBans implements BanStore {
  readonly #access: Access<typeof banChanges>;
  /** Bans of this process that are not stored yet, in the order in which they started. */
  readonly #begun = new Map<string, BanRecord>();

  constructor(access: Access<typeof banChanges>) {
    this.#access = access;
  }

  begin(ban: BanRecord): void {
    this.#begun.set(ban.id, ban);
  }

  async findAll(ids: readonly string[]): Promise<BanRecord[]> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.#select(ONE, id)));
    return found.flat();
  }

  async record(ban: BanRecord): Promise<void> {
    try {
      await this.#access.changes.recordBan(ban);
    } catch (error) {
      // Any other error is permanent.
      if (!(error instanceof StorageUnavailable)) this.#begun.delete(ban.id);
      throw error;
    }
    this.#begun.delete(ban.id);
  }

  async active(now: number): Promise<BanRecord[]> {
    const begun = this.#begunSince(now);
    const stored = await this.#select(ACTIVE, now);
    return this.#ending([...stored, ...unlessIn(stored, begun)], now);
  }

  async latest(since: number): Promise<BanRecord[]> {
    const bans = await this.#select(SINCE, since);
    const latest = new Map(bans.map((ban) => [ban.chainId, ban]));
    return [...latest.values()].filter(({ liftedAt }) => liftedAt === undefined);
  }

  lifted(now: number): Promise<BanRecord[]> {
    return this.#select(LIFTED, now);
  }

  async ofAccount(accountId: string, since: number, most: number): Promise<BanRecord[]> {
    const begun = this.#begunSince(since).filter((ban) => ban.accountId === accountId);
    const stored = await this.#select(OF_ACCOUNT, accountId, since, most);
    const bans = [...unlessIn(stored, begun).reverse(), ...stored];
    return (await this.#ending(bans, since)).slice(0, most);
  }

  lift(id: string, by: Actor, now: number): Promise<boolean> {
    return this.#access.changes.liftBan(id, by, now);
  }

  /** Must be called before the stored bans are read, because a ban may be stored in the meantime. */
  #begunSince(time: number): BanRecord[] {
    return [...this.#begun.values()].filter(({ endsAt }) => endsAt > time);
  }

  /** The bans that end after `since`, given the current clocks of their accounts. */
  async #ending(bans: BanRecord[], since: number): Promise<BanRecord[]> {
    if (!bans.some(({ environment }) => environment === 'staging')) return bans;
    const rows = await this.#access.rows(CLOCKS, since);
    const clocks = new Map(rows.map((row) => [row.account_id, row.clock_offset]));
    return bans
      .map((ban) => {
        const clock = ban.environment === 'staging' ? clocks.get(ban.accountId) : undefined;
        const moved = Math.max(0, (clock ?? 0) - (ban.clockOffset ?? 0));
        return moved > 0 ? { ...ban, endsAt: ban.endsAt - moved } : ban;
      })
      .filter(({ endsAt }) => endsAt > since);
  }

  async #select(selection: Selection<BanRow>, ...values: SelectionValue[]): Promise<BanRecord[]> {
    return (await this.#access.rows(selection, ...values)).map(banFromRow);
  }
}

/** The started bans that are not among the stored ones. */
function unlessIn(stored: readonly BanRecord[], begun: readonly BanRecord[]): BanRecord[] {
  return begun.filter(({ id }) => !stored.some((ban) => ban.id === id));
}

/** Does nothing if the ban is already stored. */
export async function insertBan(transaction: Transaction, ban: BanRecord): Promise<void> {
  await transaction
    .insertInto('bans')
    .values({
      id: ban.id,
      key_id: ban.keyId,
      chain_id: ban.chainId,
      account_id: ban.accountId,
      environment: ban.environment,
      reason: ban.reason,
      level: ban.level,
      starts_at: ban.startsAt,
      ends_at: ban.endsAt,
      clock_offset: ban.clockOffset ?? 0,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

function banFromRow(row: BanRow): BanRecord {
  return {
    id: row.id,
    keyId: row.key_id,
    reason: row.reason,
    level: row.level,
    ...ownerFromRow(row, row.key_id),
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    ...(row.clock_offset > 0 && { clockOffset: row.clock_offset }),
    liftedAt: row.lifted_at ?? undefined,
    liftedBy: row.lifted_by ?? undefined,
  };
}
