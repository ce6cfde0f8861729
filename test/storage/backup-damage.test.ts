import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { create, extract } from 'tar';
import { readConfig } from '../../src/config/config.ts';
import { OperatorError } from '../../src/core/errors.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { restoreBackup } from '../../src/storage/backup/restore.ts';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';
import { digests, makeKey, onFolder, seededRandom } from '../support/storage.ts';

const PARTS = ['accounts.db', 'production.db', 'secret'];
const folder = temporaryFolder();
const data = join(folder.path, 'data');
const sound = join(folder.path, 'sound.backup');
const damaged = join(folder.path, 'damaged.backup');
/** The sound backup, unpacked. */
const original = join(folder.path, 'original');
const parts = join(folder.path, 'parts');
/** A file outside of the data folder, which an archive might try to overwrite. */
const precious = join(folder.path, 'precious');

beforeAll(async () => {
  await makeKey(data);
  for (const args of [
    ['seed', '--pets', '500'],
    ['backup', sound],
  ]) {
    expect((await runCommand(args, onFolder(data))).code).toBe(0);
  }
  mkdirSync(original);
  await extract({ file: sound, cwd: original });
  writeFileSync(precious, 'precious', { mode: 0o644 });
});

afterAll(() => folder[Symbol.dispose]());

/** Tries to restore over existing data; checks that no file changes. */
async function expectRefusal(file: string): Promise<void> {
  const before = unlocked(digests(folder.path));
  const config = readConfig(onFolder(data));
  const error = await restoreBackup(config, file, true, systemClock).then(
    () => 'restored',
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(OperatorError);
  expect(String(error)).toMatch(/is not a sound backup: [^\n]+\. Nothing was changed\.$/);
  expect(unlocked(digests(folder.path))).toEqual(before);
  expect(statSync(precious).mode & 0o777).toBe(0o644);
}

/** The digests without the lock files, which a restore creates and leaves. */
function unlocked(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !name.endsWith('.lock')));
}

function freshParts(): void {
  rmSync(parts, { recursive: true, force: true });
  cpSync(original, parts, { recursive: true });
}

/** Packs the files in the folder of parts under exactly these names. */
async function pack(names: readonly string[]): Promise<void> {
  rmSync(damaged, { force: true });
  await create({ cwd: parts, file: damaged, gzip: true, preservePaths: true }, [...names]);
}

/** Writes a manifest with the correct digests of these parts. */
function describeParts(names: readonly string[], changes: Record<string, unknown> = {}): void {
  const files = names.map((name) => ({
    name,
    sha256: createHash('sha256')
      .update(readFileSync(join(parts, name)))
      .digest('hex'),
  }));
  const manifest = { format: 1, createdAt: '2027-01-02T12:00:00.000Z', files, ...changes };
  writeFileSync(join(parts, 'manifest.json'), JSON.stringify(manifest));
}

function unpacked(archive: Buffer): Buffer | undefined {
  try {
    return gunzipSync(archive);
  } catch {
    return undefined;
  }
}

/** Kinds of archives that `petstore backup` never makes; each function packs one. */
const ARCHIVES: Readonly<Record<string, () => Promise<void>>> = {
  'with a path that leads out of it': () => pack(['manifest.json', ...PARTS, '../precious']),
  'with an absolute path': () => pack(['manifest.json', ...PARTS, precious]),
  'with a symbolic link in the place of a file': () => {
    rmSync(join(parts, 'secret'));
    symlinkSync('../precious', join(parts, 'secret'));
    describeParts(PARTS);
    return pack(['manifest.json', ...PARTS]);
  },
  'with a hard link': () => {
    linkSync(join(parts, 'secret'), join(parts, 'staging.db'));
    describeParts([...PARTS, 'staging.db']);
    return pack(['secret', 'staging.db', 'manifest.json', 'accounts.db', 'production.db']);
  },
  'with a folder in the place of a file': () => {
    rmSync(join(parts, 'secret'));
    mkdirSync(join(parts, 'secret'));
    return pack(['manifest.json', ...PARTS]);
  },
  'with a file that no backup holds': () => {
    writeFileSync(join(parts, 'extra'), 'extra');
    return pack(['manifest.json', ...PARTS, 'extra']);
  },
  'with a file that its manifest does not name': () => {
    describeParts(['accounts.db', 'production.db']);
    return pack(['manifest.json', ...PARTS]);
  },
  'with a file twice': () => pack(['manifest.json', ...PARTS, 'secret']),
  'without a file that its manifest names': () => pack(['manifest.json', 'accounts.db', 'secret']),
  'without accounts': () => {
    describeParts(['production.db', 'secret']);
    return pack(['manifest.json', 'production.db', 'secret']);
  },
  'without a manifest': () => pack(PARTS),
  'with a manifest that is not JSON': () => {
    writeFileSync(join(parts, 'manifest.json'), '{"format":1');
    return pack(['manifest.json', ...PARTS]);
  },
  'with a manifest that says nothing': () => {
    writeFileSync(join(parts, 'manifest.json'), '{"format":1}');
    return pack(['manifest.json', ...PARTS]);
  },
  'of a later release': () => {
    describeParts(PARTS, { format: 2 });
    return pack(['manifest.json', ...PARTS]);
  },
  'with a manifest that names a path': () => {
    writeFileSync(join(parts, 'x'), 'x');
    describeParts(['accounts.db', '../precious']);
    return pack(['manifest.json', 'accounts.db']);
  },
  'with a file that was changed after its digest was taken': () => {
    writeFileSync(join(parts, 'secret'), 'x'.repeat(64));
    return pack(['manifest.json', ...PARTS]);
  },
  'with a damaged database': () => {
    writeFileSync(join(parts, 'production.db'), 'garbage'.repeat(1_000));
    describeParts(PARTS);
    return pack(['manifest.json', ...PARTS]);
  },
  'with one database in the place of another': () => {
    cpSync(join(parts, 'accounts.db'), join(parts, 'production.db'));
    describeParts(PARTS);
    return pack(['manifest.json', ...PARTS]);
  },
};

describe('restore changes nothing and says why', () => {
  for (const [how, packDamaged] of Object.entries(ARCHIVES)) {
    test(`on an archive ${how}`, async () => {
      freshParts();
      await packDamaged();
      await expectRefusal(damaged);
    });
  }

  test('on a backup in which a byte is another one, wherever it is', async () => {
    const random = seededRandom(11);
    const content = readFileSync(sound);
    const plain = gunzipSync(content);
    // The ten bytes of gzip's header contain a date and other data that are not used.
    const at = () => 10 + Math.floor(random() * (content.length - 10));
    for (const index of [10, content.length - 1, ...Array.from({ length: 20 }, at)]) {
      const flipped = Buffer.from(content);
      flipped[index] = (flipped[index] ?? 0) ^ 0b0001_0000;
      // A changed reference to an equal repetition unpacks to the same bytes.
      if (unpacked(flipped)?.equals(plain)) continue;
      writeFileSync(damaged, flipped);
      await expectRefusal(damaged);
    }
  });

  test('on a backup that is cut short, wherever it is', async () => {
    const content = readFileSync(sound);
    for (const part of [0, 0.001, 0.1, 0.5, 0.9, 0.999]) {
      writeFileSync(damaged, content.subarray(0, Math.floor(content.length * part)));
      await expectRefusal(damaged);
    }
  });

  test('on a file that is no archive', async () => {
    for (const content of ['', 'hello\n', readFileSync(join(original, 'production.db'))]) {
      writeFileSync(damaged, content);
      await expectRefusal(damaged);
    }
    await expectRefusal(original);
  });

  test('as a command, with exit code 1 and one line', async () => {
    writeFileSync(damaged, 'hello');
    const args = ['restore', damaged, '--replace'];
    const { code, stdout, stderr } = await runCommand(args, onFolder(data));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^petstore: [^\n]+is not a sound backup: [^\n]+\n$/);
    const absent = await runCommand(['restore', join(folder.path, 'absent')], onFolder(data));
    expect(absent).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no file') });
  });

  test('and the same archive, when it is sound, is restored for its owner alone', async () => {
    freshParts();
    describeParts(PARTS);
    for (const name of PARTS) chmodSync(join(parts, name), 0o644);
    await pack(['manifest.json', ...PARTS]);
    const config = readConfig(onFolder(join(folder.path, 'fresh')));
    const restored = await restoreBackup(config, damaged, false, systemClock);
    expect(restored.movedTo).toBeUndefined();
    const modes = PARTS.map((name) => statSync(join(restored.folder, name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });
});
