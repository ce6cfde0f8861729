import { expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { eventually, ManualClock, TestService } from '../support/harness.ts';
import { type CommandResult, runCommand } from '../support/process.ts';

test('a key that is created while the service runs works at once', async () => {
  await using service = await TestService.start();
  const { stdout } = await run(service, 'keys create a@example.com');
  const reply = await service.request('/pets', { key: stdout.trim() });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('X-RateLimit-Limit')).toBe('60');
});

test('a key that is revoked is refused by the running service', async () => {
  await using service = await TestService.start();
  const { key, secret } = await service.account();
  const status = async () => (await service.request('/pets', { key: secret })).status;
  expect(await status()).toBe(200);
  expect((await run(service, `keys revoke ${key.id}`)).stdout).toBe(`Key ${key.id} is revoked.\n`);
  await eventually(async () => (await status()) === 401);
});

test('a key that is rotated without overlap is replaced by its successor at once', async () => {
  await using service = await TestService.start();
  const { key, secret } = await service.account();
  const status = async (text: string) => (await service.request('/pets', { key: text })).status;
  expect(await status(secret)).toBe(200);
  const { stdout } = await run(service, `keys rotate ${key.id} --overlap 0`);
  expect(await status(stdout.trim())).toBe(200);
  await eventually(async () => (await status(secret)) === 401);
});

test('a new plan applies to requests of the running service', async () => {
  await using service = await TestService.start();
  const { account, secret } = await service.account(subscribe('free'));
  const limit = async () =>
    (await service.request('/pets', { key: secret })).headers.get('X-RateLimit-Limit');
  expect(await limit()).toBe('60');
  expect((await run(service, `accounts set-plan ${account.email} business`)).code).toBe(0);
  await eventually(async () => (await limit()) === '1000');
});

test('a ban is listed and lifted while the service runs', async () => {
  const clock = new ManualClock(Date.now());
  await using service = await TestService.start({ clock, settings: { PETSTORE_BAN_AFTER: '1' } });
  const { key, secret } = await service.account(
    subscribe('enterprise', { perMinute: 1, perDay: 100 }),
  );
  const ask = () => service.request('/pets', { key: secret });
  await ask();
  await ask();
  clock.advance(3_000);
  await ask();
  expect(await (await ask()).json()).toMatchObject({ code: 'api_key_banned' });

  await service.runJobs('record production bans');
  const [ban] = await bans(service);
  expect(ban).toMatchObject({ keyId: key.id, environment: 'production', level: 1 });
  expect((await run(service, 'bans list')).stdout).toMatch(
    new RegExp(`^${ban?.id} +${key.id} `, 'm'),
  );
  expect((await run(service, `bans lift ${ban?.id}`)).stdout).toBe(`Ban ${ban?.id} is lifted.\n`);
  clock.advance(60_000);
  await service.runJobs('watch for changes');
  expect((await ask()).status).toBe(200);

  expect(await bans(service)).toEqual([]);
  const again = await run(service, `bans lift ${ban?.id}`);
  expect(again).toMatchObject({ code: 1, stdout: '' });
});

test('seeded pets are listed at once, also after a list was read', async () => {
  await using service = await TestService.start();
  const { secret } = await service.account();
  const client = service.client(secret);
  expect((await client.listPets()).pets).toEqual([]);
  expect((await run(service, 'seed --pets 30')).stdout).toBe('Added 30 animals to production.\n');
  expect(await Array.fromAsync(client.listAllPets())).toHaveLength(30);
});

test('restore is refused while the service runs', async () => {
  await using service = await TestService.start();
  const file = `${service.folder.path}/now.backup`;
  expect((await run(service, `backup ${file}`)).code).toBe(0);
  expect(await run(service, `restore ${file} --replace`)).toEqual({
    code: 2,
    stdout: '',
    stderr: `petstore: ${service.folder.path} is in use by the service or a command. Stop it, or wait for its end.\n`,
  });
});

function run(service: TestService, args: string): Promise<CommandResult> {
  return runCommand(args.split(' '), { PETSTORE_DATA_DIR: service.folder.path });
}

async function bans(service: TestService): Promise<Array<{ id: string }>> {
  return JSON.parse((await run(service, 'bans list --json')).stdout);
}
