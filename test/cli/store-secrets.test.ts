import { describe, expect, test } from 'bun:test';
import {
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { accepting, NEW, OLD, withSecrets } from '../support/secrets.ts';
import { clientOf, makeKey, onFolder } from '../support/storage.ts';

const ROTATE = ['store', 'rotate-secret'];
const SHOW = ['store', 'secrets', '--json'];

function command(folder: string, args: readonly string[], more: Record<string, string> = {}) {
  return runCommand(args, { ...onFolder(folder), ...more });
}

/** Whether a service on this folder accepts all of these keys. */
async function accepts(folder: string, keys: readonly string[], settings = {}): Promise<boolean> {
  await using service = await TestService.start({ folder, settings });
  const replies = await Promise.all(keys.map((key) => service.request('/pets', { key })));
  return replies.every(({ status }) => status === 200);
}

async function left(folder: string, settings = {}): Promise<Array<[string, number]>> {
  const uses = JSON.parse((await command(folder, SHOW, settings)).stdout);
  return uses.map(({ role, keys }: { role: string; keys: number }) => [role, keys]);
}

async function issue(folder: string): Promise<string> {
  const args = ['keys', 'create', 'production@example.com'];
  return (await command(folder, args)).stdout.trim();
}

function read(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

// The files of a folder are the subject, so these tests always use one.
describe.skipIf(process.env['PETSTORE_TEST_DATABASE_URL'] !== undefined)('rotate-secret', () => {
  test('makes a new secret and keeps the previous ones, the latest first, for this user alone', async () => {
    using folder = temporaryFolder();
    await makeKey(folder.path);
    const first = read(folder.path, 'secret');
    const rotated = await command(folder.path, ROTATE);
    expect({ code: rotated.code, stderr: rotated.stderr }).toEqual({ code: 0, stderr: '' });
    expect(rotated.stdout).toContain('Start the service.');
    const second = read(folder.path, 'secret');
    expect(second).toMatch(/^[0-9a-f]{64}\n$/);
    expect(second).not.toBe(first);
    expect(read(folder.path, 'secret.previous')).toBe(first);
    await command(folder.path, ROTATE);
    expect(read(folder.path, 'secret.previous')).toBe(second + first);
    for (const name of ['secret', 'secret.previous']) {
      expect(statSync(join(folder.path, name)).mode & 0o777).toBe(0o600);
    }
    for (const text of [first, second]) expect(rotated.stdout).not.toContain(text.trim());
  });

  test('leaves every key valid, which moves when it is used, until the previous secret can go', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    await command(folder.path, ROTATE);
    const next = await issue(folder.path);
    expect(await left(folder.path)).toEqual([
      ['current', 1],
      ['previous', 1],
    ]);
    expect(await accepts(folder.path, [key, next])).toBe(true);
    expect(await left(folder.path)).toEqual([
      ['current', 2],
      ['previous', 0],
    ]);
    rmSync(join(folder.path, 'secret.previous'));
    expect(await left(folder.path)).toEqual([['current', 2]]);
    expect(await accepts(folder.path, [key, next])).toBe(true);
  });

  test('that was killed at any moment leaves a folder with which all keys are valid', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    const old = read(folder.path, 'secret');
    const other = `${'ab'.repeat(32)}\n`;
    const states: ReadonlyArray<Readonly<Record<string, string>>> = [
      { 'secret.previous.new': '' },
      { 'secret.previous.new': old.slice(0, 20) },
      { 'secret.previous.new': old },
      { 'secret.previous': old },
      { 'secret.previous': old, 'secret.new': other.slice(0, 20) },
      { 'secret.previous': old, 'secret.new': other },
      { 'secret.previous': old, secret: other },
    ];
    for (const files of states) {
      using copy = temporaryFolder();
      cpSync(folder.path, copy.path, { recursive: true });
      for (const [name, text] of Object.entries(files)) writeFileSync(join(copy.path, name), text);
      expect((await command(copy.path, ROTATE)).code).toBe(0);
      expect(read(copy.path, 'secret.previous').split('\n')).toContain(old.trim());
      expect(existsSync(join(copy.path, 'secret.new'))).toBe(false);
      expect(await accepts(copy.path, [key])).toBe(true);
      cpSync(folder.path, copy.path, { recursive: true });
      rmSync(join(copy.path, 'secret.previous'));
      for (const [name, text] of Object.entries(files)) writeFileSync(join(copy.path, name), text);
      expect(await accepts(copy.path, [key])).toBe(true);
    }
  });

  test('is refused while the service runs, and changes nothing', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    const before = read(folder.path, 'secret');
    await using service = await ServiceProcess.start(onFolder(folder.path));
    const { code, stderr } = await command(folder.path, ROTATE);
    expect(code).toBe(2);
    expect(stderr).toMatch(/is in use by the service or a command\. Stop it/);
    expect(read(folder.path, 'secret')).toBe(before);
    expect(existsSync(join(folder.path, 'secret.previous'))).toBe(false);
    expect((await clientOf(service, key).listPets()).pets).toEqual([]);
  });

  test('is refused without data, with PETSTORE_SECRET, without its file and when too many are kept', async () => {
    using empty = temporaryFolder();
    expect((await command(empty.path, ROTATE)).stderr).toContain('holds no data yet');
    using folder = temporaryFolder();
    await makeKey(folder.path);
    const set = await command(folder.path, ROTATE, withSecrets(OLD));
    expect(set.code).toBe(1);
    expect(set.stderr).toContain('PETSTORE_PREVIOUS_SECRETS');
    for (let count = 0; count < 5; count += 1) {
      expect((await command(folder.path, ROTATE)).code).toBe(0);
    }
    const before = [read(folder.path, 'secret'), read(folder.path, 'secret.previous')];
    const full = await command(folder.path, ROTATE);
    expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining('has 5 secrets') });
    expect([read(folder.path, 'secret'), read(folder.path, 'secret.previous')]).toEqual(before);
    const more = await command(folder.path, SHOW, accepting(NEW));
    expect(more).toMatchObject({ code: 2, stderr: expect.stringContaining('more than 5 secrets') });
    renameSync(join(folder.path, 'secret'), join(folder.path, 'lost'));
    expect((await command(folder.path, ROTATE)).code).toBe(2);
    expect(existsSync(join(folder.path, 'secret'))).toBe(false);
  });

  test('a file of previous secrets that is cut short is refused, without showing it', async () => {
    using folder = temporaryFolder();
    await makeKey(folder.path);
    await command(folder.path, ROTATE);
    const path = join(folder.path, 'secret.previous');
    writeFileSync(path, read(folder.path, 'secret.previous').slice(0, 20));
    const { code, stderr } = await command(folder.path, SHOW);
    expect(code).toBe(2);
    expect(stderr).toContain(`${path} is damaged`);
    expect(stderr).not.toContain(read(folder.path, 'secret.previous'));
  });

  test('a backup of before stays usable, and one of after holds the previous secrets', async () => {
    using folder = temporaryFolder();
    using backups = temporaryFolder();
    const key = await makeKey(folder.path);
    const [before, after] = ['before', 'after'].map((name) => join(backups.path, name));
    if (!before || !after) throw new Error('There are two files.');
    await command(folder.path, ['backup', before]);
    await command(folder.path, ROTATE);
    await command(folder.path, ['backup', after]);
    expect((await command(folder.path, ['backup', 'verify', after])).code).toBe(0);
    for (const file of [before, after]) {
      using elsewhere = temporaryFolder();
      expect((await command(elsewhere.path, ['restore', file])).code).toBe(0);
      expect(existsSync(join(elsewhere.path, 'secret.previous'))).toBe(file === after);
      expect(await accepts(elsewhere.path, [key])).toBe(true);
    }
    expect((await command(folder.path, ['restore', before, '--replace'])).code).toBe(0);
    expect(existsSync(join(folder.path, 'secret.previous'))).toBe(false);
    expect(await accepts(folder.path, [key])).toBe(true);
  });

  test('from a secret in the folder to one in the setting, and back, no key is lost', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    const made = read(folder.path, 'secret').trim();
    expect(await accepts(folder.path, [key], withSecrets(NEW, made))).toBe(true);
    expect((await command(folder.path, SHOW)).stderr).toContain('made with another secret');
    expect(await accepts(folder.path, [key], accepting(NEW))).toBe(true);
  });
});

describe('store secrets', () => {
  test('says what each secret is needed for, without showing one', async () => {
    using folder = temporaryFolder();
    await makeKey(folder.path, 'production', withSecrets(OLD));
    const show = (secrets: Record<string, string>) =>
      command(folder.path, ['store', 'secrets'], secrets);
    expect((await show(withSecrets(OLD))).stdout).toMatch(
      /^SECRET +IS +KEYS +SECOND FACTORS\n[0-9a-f]{12} +current +1 +0\nThere is no other secret\.\n$/,
    );
    const { stdout } = await show(withSecrets(NEW, OLD));
    expect(stdout).toMatch(
      /\n[0-9a-f]{12} +current +0 +0\n[0-9a-f]{12} +previous +1 +0\nKeys move/,
    );
    expect(stdout).not.toContain(OLD);
    expect(stdout).not.toContain(NEW);
    expect((await show(withSecrets(NEW))).stdout).toContain('missing: its keys are refused');
    const swappedBack = (await show(withSecrets(OLD, NEW))).stdout;
    expect(swappedBack).toContain('a later secret than the current one, so nothing moves');
  });

  test('a backup of before a change of the setting is usable with both secrets, or the earlier', async () => {
    using folder = temporaryFolder();
    using backups = temporaryFolder();
    const key = await makeKey(folder.path, 'production', withSecrets(OLD));
    const file = join(backups.path, 'before');
    await command(folder.path, ['backup', file], withSecrets(OLD));
    for (const secrets of [withSecrets(NEW, OLD), withSecrets(OLD), withSecrets(OLD, NEW)]) {
      using elsewhere = temporaryFolder();
      expect((await command(elsewhere.path, ['restore', file], secrets)).code).toBe(0);
      expect(await accepts(elsewhere.path, [key], secrets)).toBe(true);
    }
    using elsewhere = temporaryFolder();
    await command(elsewhere.path, ['restore', file], withSecrets(NEW));
    const refused = await command(elsewhere.path, SHOW, withSecrets(NEW));
    expect(refused.stderr).toContain('name it in PETSTORE_PREVIOUS_SECRETS');
  });
});
