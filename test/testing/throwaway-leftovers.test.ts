import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '../support/harness.ts';
import { AS_NOBODY, giveToNobody } from '../support/nobody.ts';
import { ServiceProcess } from '../support/process.ts';

function serve(parent: string, wrap: readonly string[] = []): Promise<ServiceProcess> {
  return ServiceProcess.start({ TMPDIR: parent }, ['--ephemeral'], wrap);
}

describe('a leftover in the temporary folder', () => {
  test.each(['petstore-ephemeral-x', '.petstore-ephemeral-x'])(
    'that is a link named %s is left alone, with what it leads to',
    async (name) => {
      using parent = temporaryFolder();
      using others = temporaryFolder();
      const file = join(others.path, 'file');
      writeFileSync(file, '');
      utimesSync(others.path, 0, 0);
      symlinkSync(others.path, join(parent.path, name));
      await using service = await serve(parent.path);
      expect(readdirSync(others.path)).toEqual(['file']);
      expect(await service.end('SIGTERM')).toBe(0);
      expect(readdirSync(parent.path)).toEqual([name]);
    },
  );

  test('that no service made is left alone', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'petstore-ephemeral-x');
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes'), '');
    writeFileSync(join(parent.path, 'petstore-ephemeral-y'), '');
    await using service = await serve(parent.path);
    expect(readdirSync(folder)).toEqual(['notes']);
    expect(await service.end('SIGTERM')).toBe(0);
    expect(readdirSync(parent.path).toSorted()).toEqual([
      'petstore-ephemeral-x',
      'petstore-ephemeral-y',
    ]);
  });

  test('whose lock is a link is left alone, with what it leads to', async () => {
    using parent = temporaryFolder();
    using others = temporaryFolder();
    const folder = join(parent.path, 'petstore-ephemeral-x');
    mkdirSync(folder);
    symlinkSync(join(others.path, 'lock'), join(folder, 'owner.lock'));
    await using _ = await serve(parent.path);
    expect(readdirSync(others.path)).toEqual([]);
    expect(readdirSync(folder)).toEqual(['owner.lock']);
  });

  test('whose lock is no database does not keep a service from starting', async () => {
    using parent = temporaryFolder();
    const folder = join(parent.path, 'petstore-ephemeral-x');
    mkdirSync(folder);
    writeFileSync(join(folder, 'owner.lock'), 'not a database, and longer than a header of one');
    await using service = await serve(parent.path);
    expect((await fetch(`${service.url()}/openapi.json`)).status).toBe(200);
  });

  test.skipIf(AS_NOBODY.length > 0 && Bun.which('setpriv') === null)(
    'that cannot be removed does not keep a service from starting',
    async () => {
      using parent = temporaryFolder(tmpdir());
      const folder = join(parent.path, 'petstore-ephemeral-x');
      const inside = join(folder, 'inside');
      mkdirSync(inside, { recursive: true });
      for (const path of [join(folder, 'owner.lock'), join(inside, 'file')])
        writeFileSync(path, '');
      giveToNobody(parent.path);
      chmodSync(inside, 0o555);
      await using service = await serve(parent.path, AS_NOBODY);
      expect((await fetch(`${service.url()}/openapi.json`)).status).toBe(200);
      expect(readdirSync(inside)).toEqual(['file']);
      chmodSync(inside, 0o755);
    },
  );
});
