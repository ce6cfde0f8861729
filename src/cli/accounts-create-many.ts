import type { Account } from '../core/accounts/accounts.ts';
import { newEmailProblem } from '../core/accounts/email-address.ts';
import { ENVIRONMENTS } from '../core/environments.ts';
import { OperatorError } from '../core/errors.ts';
import type { Subscription } from '../core/limits/plans.ts';
import type { SignIn } from '../dashboard/session.ts';
import { csvLine } from '../lib/csv.ts';
import { escapeUnprintableJson } from '../lib/unprintable.ts';
import { openSignIn } from './accounts-sign-in.ts';
import { UsageError } from './errors.ts';
import { isOutputClosed, printNote } from './output.ts';
import { type Session, withStores } from './session.ts';

/** The most accounts that one command makes. */
const MOST = 1_000;

interface ManyOptions {
  readonly count: number;
  readonly prefix: string;
  readonly domain: string;
  readonly json?: true;
}

/** The credentials of one participant of a workshop. */
interface Sheet {
  readonly email: string;
  /** A link to set the password, valid once. */
  readonly link: string;
  /** The text of a key for each environment. */
  readonly staging: string;
  readonly production: string;
}

/**
 * Creates accounts such as `class-01@example.com`, and prints the link and keys of each participant as CSV or JSON.
 * Each entry is printed as soon as its account exists: the keys are shown nowhere else, so an interruption
 * must not lose them.
 * @throws UsageError when the addresses would not be valid.
 * @throws OperatorError when one of them already has an account; then none is made. Also when the reader of the
 * sheet ends early; then no further account is made.
 */
export async function createMany(subscription: Subscription, options: ManyOptions): Promise<void> {
  const emails = addressesFrom(options);
  await withStores(async (session) => {
    await requireFree(session, emails);
    const sheets = createEach(session, emails, subscription);
    if (options.json) return printAsJson(sheets);
    await write(csvLine(['email', 'link', 'staging key', 'production key']));
    for await (const { email, link, staging, production } of sheets) {
      await write(csvLine([email, link, staging, production]));
      // The keys of further accounts would be lost.
      if (isOutputClosed()) throw unread(email);
    }
    printNote(
      'Each link sets a password once, within an hour; accounts reset-link makes another. Keep the sheet safe: its keys are shown nowhere else.',
    );
  });
}

/** Resolves when the text is written, or cannot be: only then is it known whether anybody reads the sheet. */
function write(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()));
}

async function* createEach(
  session: Session,
  emails: readonly string[],
  subscription: Subscription,
): AsyncGenerator<Sheet> {
  const signIn = await openSignIn(session);
  for (const email of emails) yield await createOne(session, signIn, email, subscription);
}

/** Prints one array, which is valid even if creating another account fails. */
async function printAsJson(sheets: AsyncIterable<Sheet>): Promise<void> {
  let before = '[';
  try {
    for await (const sheet of sheets) {
      await write(before + escapeUnprintableJson(JSON.stringify(sheet)));
      before = ',';
      if (isOutputClosed()) throw unread(sheet.email);
    }
  } finally {
    if (!isOutputClosed()) await write(before === '[' ? '[]\n' : ']\n');
  }
}

function addressesFrom({ count, prefix, domain }: ManyOptions): string[] {
  if (count > MOST) throw new UsageError(`At most ${MOST} accounts are made at once.`);
  const digits = Math.max(2, String(count).length);
  const emails = Array.from(
    { length: count },
    (_, index) => `${prefix}${String(index + 1).padStart(digits, '0')}@${domain}`,
  );
  for (const email of emails) {
    const problem = newEmailProblem(email);
    if (problem === undefined) continue;
    throw new UsageError(`${email} cannot be used: change --prefix or --domain. ${problem}`);
  }
  return emails;
}

async function requireFree({ stores }: Session, emails: readonly string[]): Promise<void> {
  for (const email of emails) {
    if (await stores.accounts.findByEmail(email)) throw taken(email);
  }
}

async function createOne(
  session: Session,
  signIn: SignIn,
  email: string,
  subscription: Subscription,
): Promise<Sheet> {
  const { stores, clock, by } = session;
  const account = await stores.accounts.create(email, subscription, clock.now().wall, by);
  const link = account && (await signIn.resetLink(email));
  // Another process has created the account in the meantime.
  if (!account || link === undefined) throw taken(email);
  const [production = '', staging = ''] = await issueKeys(session, account);
  return { email, link, staging, production };
}

async function issueKeys({ stores, by }: Session, account: Account): Promise<string[]> {
  const texts: string[] = [];
  for (const environment of ENVIRONMENTS) {
    const wish = { environment, name: 'workshop' };
    texts.push((await stores.apiKeyService.issue(account, wish, by)).text);
  }
  return texts;
}

function unread(email: string): OperatorError {
  return new OperatorError(
    `Nobody reads the sheet any more. ${email} is the last account that was made, and its line is lost.`,
  );
}

function taken(email: string): OperatorError {
  return new OperatorError(`${email} has an account already. Use another --prefix or --domain.`);
}
