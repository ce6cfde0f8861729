import type {
  AddedFactor,
  FactorChange,
  NewFactor,
  SecondFactorStore,
  SecondFactors,
} from '../core/second-factors.ts';
import type { Access } from './access.ts';
import { factorsOf, type secondFactorChanges } from './second-factor-changes.ts';

/** Second factors, on either engine. */
export class StoredSecondFactors implements SecondFactorStore {
  readonly #access: Access<typeof secondFactorChanges>;

  constructor(access: Access<typeof secondFactorChanges>) {
    this.#access = access;
  }

  async of(accountId: string): Promise<SecondFactors> {
    return factorsOf(await this.#access.queries(), accountId);
  }

  async prepareSignIn(accountId: string): Promise<void> {
    const account = await (await this.#access.queries())
      .selectFrom('accounts')
      .select('two_factor_enabled')
      .where('id', '=', accountId)
      .executeTakeFirst();
    const isAsked = account?.two_factor_enabled === 1;
    // Most sign-ins find it up to date, and write nothing.
    if (isAsked === (await this.of(accountId)).hasAny) return;
    await this.#access.changes.prepareSignIn(accountId);
  }

  async totpSecret(accountId: string): Promise<string | undefined> {
    const row = await (await this.#access.queries())
      .selectFrom('second_factors')
      .select('secret')
      .where('user_id', '=', accountId)
      .executeTakeFirst();
    return row?.secret || undefined;
  }

  beginTotp(accountId: string, encryptedSecret: string): Promise<boolean> {
    return this.#access.changes.beginTotp(newRowId(), accountId, encryptedSecret);
  }

  confirmTotp(factor: NewFactor, encryptedSecret: string, step: number): Promise<AddedFactor> {
    return this.#access.changes.confirmTotp(factor, encryptedSecret, step);
  }

  acceptTotpStep(accountId: string, step: number): Promise<boolean> {
    return this.#access.changes.acceptTotpStep(accountId, step);
  }

  removeTotp(change: FactorChange): Promise<boolean> {
    return this.#access.changes.removeTotp(change);
  }

  passkeyAdded(factor: NewFactor, passkeyId: string): Promise<AddedFactor> {
    return this.#access.changes.passkeyAdded(factor, passkeyId, newRowId());
  }

  renamePasskey(change: FactorChange, passkeyId: string, name: string): Promise<boolean> {
    return this.#access.changes.renamePasskey(change, passkeyId, name);
  }

  removePasskey(change: FactorChange, passkeyId: string): Promise<boolean> {
    return this.#access.changes.removePasskey(change, passkeyId);
  }

  renewRecoveryCodes(change: FactorChange, digests: readonly string[]): Promise<boolean> {
    return this.#access.changes.renewRecoveryCodes(change, digests, newRowId());
  }

  reset(change: FactorChange): Promise<boolean> {
    return this.#access.changes.resetSecondFactors(change);
  }
}

function newRowId(): string {
  return crypto.randomUUID();
}
