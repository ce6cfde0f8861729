import type { ServiceProcess } from '../../support/process.ts';
import { type CrashSubject, LastingVisitor, LostChange } from './crash-subject.ts';

/** Signing up hashes a password, which takes much longer than the other changes. */
const MAX_PER_ROUND = 8;

/** Whoever was told that the account exists can sign in to it. */
export class AccountSignUps implements CrashSubject {
  readonly name = 'accounts';
  #ofRound: LastingVisitor[] = [];
  #asked = 0;
  acknowledged = 0;

  async prepare(): Promise<void> {
    this.#ofRound = [];
    this.#asked = 0;
  }

  async change(service: ServiceProcess): Promise<boolean> {
    this.#asked += 1;
    if (this.#asked > MAX_PER_ROUND) return false;
    const visitor = new LastingVisitor();
    await visitor.signUp(service);
    this.#ofRound.push(visitor);
    this.acknowledged += 1;
    return true;
  }

  async check(service: ServiceProcess): Promise<void> {
    for (const visitor of this.#ofRound) {
      if (!(await visitor.canSignIn(service))) throw new LostChange('an account is lost');
    }
  }
}
