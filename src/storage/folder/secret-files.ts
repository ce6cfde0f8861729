import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { errorCodeOf, messageOf, OperatorError, SetupError } from '../../core/errors.ts';
import { distinct, MOST_PREVIOUS_SECRETS, SHORTEST_SECRET } from '../../core/keys/secrets.ts';
import { type DataFolder, makeDurableIn } from '../data-folder.ts';
import { linkTarget } from './failure-advice.ts';
import { fileFailure, isThere, readText } from './file-failures.ts';
import { shareOwner } from './owner.ts';

/** Length of a generated secret, in bytes. */
const SECRET_BYTES = 32;

/**
 * The secret for the digests of API keys: the configured one, or that of the folder. The latter is generated only at
 * the first start, because a new secret would make existing keys invalid.
 * @param isFirstStart whether no keys exist yet.
 * @throws SetupError when it cannot be read or created, or is truncated.
 */
export function readSecret(
  folder: DataFolder,
  configured: string | undefined,
  isFirstStart: boolean,
): Buffer {
  if (configured !== undefined) return Buffer.from(configured);
  let secret: Buffer;
  try {
    if (isFirstStart && !isThere(folder.secret)) makeSecret(folder);
    secret = Buffer.from(readFileSync(folder.secret, 'utf8').trim());
  } catch (cause) {
    if (cause instanceof SetupError) throw cause;
    const isMissing = errorCodeOf(cause) === 'ENOENT' && linkTarget(folder.secret) === undefined;
    if (isFirstStart || !isMissing) {
      throw fileFailure(isFirstStart ? 'make' : 'read', folder.secret, cause);
    }
    const advice = 'Put it back from a backup, or set PETSTORE_SECRET to what it was.';
    throw new SetupError(`Cannot read ${folder.secret}: ${messageOf(cause)}. ${advice}`, { cause });
  }
  if (secret.length >= SHORTEST_SECRET) return secret;
  throw new SetupError(
    `${folder.secret} is cut short. Put it back from a backup, or set PETSTORE_SECRET to what it was.`,
  );
}

/**
 * The earlier secrets of the folder, the latest first.
 * @throws SetupError when they cannot be read, or one is truncated.
 */
export function readPreviousSecrets({ previousSecrets: path }: DataFolder): Buffer[] {
  const secrets = (readText(path) ?? '').split('\n').map((line) => Buffer.from(line.trim()));
  const given = secrets.filter(({ length }) => length > 0);
  if (given.every(({ length }) => length >= SHORTEST_SECRET)) return given;
  throw new SetupError(
    `${path} is damaged: a secret in it is cut short. Put it back from a backup.`,
  );
}

/**
 * Makes a new secret for the folder, which no other process may have open, and keeps the present one as the latest of
 * the earlier ones. Whenever the process is killed, the folder has a secret with which all keys are valid: the present
 * one is among the earlier ones before it is replaced.
 * @returns the number of earlier secrets.
 * @throws OperatorError when there are too many of them.
 * @throws SetupError when a file cannot be read.
 */
export function rotateSecret(folder: DataFolder): number {
  const present = readSecret(folder, undefined, false);
  const previous = distinct([present, ...readPreviousSecrets(folder)]);
  if (previous.length > MOST_PREVIOUS_SECRETS) {
    throw new OperatorError(
      `${folder.previousSecrets} has ${MOST_PREVIOUS_SECRETS} secrets, the most it may have. Run petstore store secrets, and remove those that nothing needs: the oldest is the last.`,
    );
  }
  replaceFile(folder, folder.previousSecrets, `${previous.join('\n')}\n`);
  replaceFile(folder, folder.secret, `${randomSecret()}\n`);
  return previous.length;
}

/** Replaces a file, or leaves it as it is. Only this user may read it. */
function replaceFile(folder: DataFolder, path: string, content: string): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  writeFileSync(draft, content, { mode: 0o600 });
  shareOwner(draft);
  makeDurableIn(folder, draft);
  renameSync(draft, path);
  makeDurableIn(folder, folder.path);
}

function randomSecret(): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toHex());
}

function makeSecret(folder: DataFolder): void {
  const draft = `${folder.secret}.${crypto.randomUUID()}`;
  try {
    writeFileSync(draft, `${randomSecret()}\n`, { mode: 0o600 });
    shareOwner(draft);
    // A key is durable when it is issued, so the secret must be durable before that.
    makeDurableIn(folder, draft);
    // Creating a link is atomic, even if two processes start at the same time.
    linkSync(draft, folder.secret);
    makeDurableIn(folder, folder.path);
  } catch (cause) {
    if (errorCodeOf(cause) !== 'EEXIST') throw cause;
  } finally {
    rmSync(draft, { force: true });
  }
}
