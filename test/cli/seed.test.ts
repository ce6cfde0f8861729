import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pet } from '../../client/src/index.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { PROGRAM, runCommand } from '../support/process.ts';
import { TerminalProcess } from '../support/terminal.ts';

describe('seeded pets', () => {
  test('have realistic names, categories and statuses', async () => {
    await using service = await TestService.start();
    await seed(service.folder.path, '--pets', '500');
    const pets = await all(service);
    expect(pets).toHaveLength(500);
    for (const { name } of pets) expect(name).toMatch(/^\p{L}[\p{L} ]{0,40}$/u);
    expect(new Set(pets.map(({ name }) => name)).size).toBeGreaterThan(200);
    expect(new Set(pets.map(({ categoryId }) => Number(categoryId)))).toEqual(
      new Set([1, 2, 3, 4, 5, 6, 7, 8]),
    );
    const available = pets.filter(({ status }) => status === 'available').length;
    expect(available / pets.length).toBeWithin(0.5, 0.8);
    expect(new Set(pets.map(({ status }) => status))).toEqual(
      new Set(['available', 'pending', 'sold']),
    );
  });

  test('are as many as requested, in ascending order, also over several transactions', async () => {
    await using service = await TestService.start();
    await seed(service.folder.path, '--pets', '4001');
    const ids = (await all(service)).map(({ id }) => Number(id));
    expect(ids).toHaveLength(4_001);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
  });

  test('are a thousand by default, and are added to existing pets', async () => {
    await using service = await TestService.start();
    await seed(service.folder.path, '--pets', '1');
    expect(await seed(service.folder.path)).toEqual({
      code: 0,
      stdout: 'Added 1000 animals to production.\n',
      stderr: '',
    });
    expect(await all(service)).toHaveLength(1_001);
  });

  test('belong to the given account, and to nobody without one', async () => {
    await using service = await TestService.start();
    const owner = await service.account();
    const other = await service.account();
    await seed(service.folder.path, '--pets', '1', '--account', owner.account.email.toUpperCase());
    await seed(service.folder.path, '--pets', '1');
    const remove = async (id: number, key: string) =>
      (await service.request(`/pets/${id}`, { key, method: 'DELETE' })).status;
    expect([await remove(1, other.secret), await remove(2, other.secret)]).toEqual([403, 204]);
    expect(await remove(1, owner.secret)).toBe(204);
    expect(await seed(service.folder.path, '--account', 'nobody@example.com')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No account has the address nobody@example.com.'),
    });
  });

  test('are added to the given environment, and to no other', async () => {
    await using service = await TestService.start();
    const { stdout } = await seed(
      service.folder.path,
      ...['--pets', '7', '--environment', 'staging'],
    );
    expect(stdout).toBe('Added 7 animals to staging.\n');
    expect(await all(service)).toEqual([]);
    expect(await all(service, 'staging')).toHaveLength(7);
  });
});

describe('the progress of seed', () => {
  test('is shown on a terminal until the end', async () => {
    using folder = temporaryFolder();
    const command = [...PROGRAM, 'seed', '--pets', '3000'];
    await using terminal = new TerminalProcess(command, { PETSTORE_DATA_DIR: folder.path });
    expect(await terminal.end()).toBe(0);
    await terminal.shows(
      / 100% \| 3000 of 3000 animals[\s\S]*\nAdded 3000 animals to production\.\n/,
    );
  });

  test('is shown on the terminal and not written to a file with the result', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'result');
    const shell = ['sh', '-c', `"$@" > ${file}`, 'sh'];
    await using terminal = new TerminalProcess([...shell, ...PROGRAM, 'seed', '--pets', '10'], {
      PETSTORE_DATA_DIR: join(folder.path, 'data'),
    });
    expect(await terminal.end()).toBe(0);
    await terminal.shows(/10 of 10 animals/);
    expect(readFileSync(file, 'utf8')).toBe('Added 10 animals to production.\n');
  });

  test('is not shown with --json', async () => {
    using folder = temporaryFolder();
    const command = [...PROGRAM, 'seed', '--pets', '10', '--json'];
    await using terminal = new TerminalProcess(command, { PETSTORE_DATA_DIR: folder.path });
    await terminal.end();
    await terminal.shows(/\n/);
    expect(terminal.text).toBe('{"environment":"production","pets":10}\n');
  });
});

function seed(folder: string, ...args: string[]) {
  return runCommand(['seed', ...args], { PETSTORE_DATA_DIR: folder });
}

async function all(
  service: TestService,
  environment: 'production' | 'staging' = 'production',
): Promise<Pet[]> {
  const { secret } = await service.account(undefined, environment);
  const client = service.client(secret, { baseUrl: service.url(environment) });
  return await Array.fromAsync(client.listAllPets({ limit: 100 }));
}
