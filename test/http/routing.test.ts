import { describe, expect, test } from 'bun:test';
import { OPERATION_IDS, OPERATIONS } from '../../src/api/all-operations.ts';
import { PARTS, type Part } from '../../src/config/config.ts';
import type { Environment } from '../../src/core/environments.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { refusalOf } from '../support/problem.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { type RawReply, rawExchange } from '../support/raw.ts';
import { sharedService } from '../support/shared-service.ts';
import { operationOf } from './openapi-document.ts';

const shared = sharedService();

/** A service at these base addresses, with one pet in each environment, which has its name. */
async function startAt(production: string, staging: string) {
  const service = await TestService.start({
    settings: { PETSTORE_BASE_URL: production, PETSTORE_STAGING_BASE_URL: staging },
  });
  const { secret: live } = await service.account(undefined, 'production');
  const { secret: test } = await service.account(undefined, 'staging');
  for (const name of ['production', 'staging'] as const) {
    const pet = { name, categoryId: 1n, status: 'available' } as const;
    await service.stores.environment(name).pets.import([pet]);
  }
  const keys: Record<Environment, string> = { production: live, staging: test };
  return { service, keys, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

type Started = Awaited<ReturnType<typeof startAt>>;

/** A GET to this path with this Host header. */
async function get(
  { service }: Started,
  host: string,
  path: string,
  key: string,
): Promise<RawReply> {
  const { replies } = await rawExchange(service.port, [
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  ]);
  const [reply] = replies;
  if (!reply) throw new Error(`No reply from ${host}${path}`);
  return reply;
}

/** The environment that answers at this address, or 404: each key is valid only in its environment. */
async function answering(
  started: Started,
  host: string,
  path: string,
): Promise<Environment | number | undefined> {
  for (const name of ['production', 'staging'] as const) {
    const reply = await get(started, host, path, started.keys[name]);
    if (reply.status === 404) return 404;
    if (reply.status !== 200) continue;
    expect(JSON.parse(reply.body)).toMatchObject([{ name }]);
    return name;
  }
  return undefined;
}

describe('the default base addresses', () => {
  test('serve production below /v1 and staging below /staging/v1 of the port', async () => {
    const service = shared();

    expect(service.url('production')).toBe(`http://localhost:${service.port}/v1`);
    expect(service.url('staging')).toBe(`http://localhost:${service.port}/staging/v1`);
    for (const name of ['production', 'staging'] as const) {
      const { secret } = await service.account(undefined, name);
      const reply = await service.request('/pets', { key: secret, environment: name });
      expect(reply.status).toBe(200);
    }
  });

  test('keep animals, keys and counters apart', async () => {
    await using service = await TestService.start();
    const { account, secret } = await service.account();
    const staging = await service.stores.apiKeyService.issue(
      account,
      {
        environment: 'staging',
        name: 'staging',
      },
      'test',
    );
    await service.client(secret).createPet({ name: 'Rex', categoryId: 7 });

    const there = await service.request('/pets', { key: staging.text, environment: 'staging' });
    const wrong = await service.request('/pets', { key: staging.text });

    expect(await there.text()).toBe('[]');
    expect(there.headers.get('X-RateLimit-Remaining')).toBe('999999');
    expect(await refusalOf(wrong)).toMatchObject({ status: 401, code: 'invalid_api_key' });
  });

  test.each(['/pets', '/v1x/pets', '/V1/pets', '/v2/pets', '/staging/pets', '/staging/v1x/pets'])(
    '%s is outside of them: 404',
    async (path) => {
      const service = shared();
      const { secret } = await service.account();

      const reply = await fetch(`http://localhost:${service.port}${path}`, {
        headers: { Authorization: `Bearer ${secret}` },
      });

      expect(reply.headers.has('X-RateLimit-Limit')).toBeTrue();
      expect(await refusalOf(reply)).toMatchObject({ status: 404, code: 'not_found' });
    },
  );

  test.each(['', '/', '/pet', '/petss', '/Pets', '//pets', '/pets/1/2', '/store/order'])(
    'below them, "%s" is nothing that is served: 404',
    async (path) => {
      const service = shared();
      const { secret } = await service.account();

      const refusal = await refusalOf(await service.request(path, { key: secret }));

      expect(refusal).toStrictEqual({
        status: 404,
        code: 'not_found',
        message: `Nothing is served at this path. The API is described at ${service.url()}/openapi.json.`,
      });
    },
  );
});

test('every operation of the contract is served at one base address, and at one alone', async () => {
  await using service = await TestService.start({ parts: PARTS });
  const { secret } = await service.account();
  for (const id of OPERATION_IDS) {
    const { method, path } = OPERATIONS[id];
    const servedAt = async (part: Part) => {
      const target = service.url(part) + path.replace(/\{\w+\}/, '1');
      const headers = { Authorization: `Bearer ${secret}` };
      const { headers: reply } = await fetch(target, { method: 'OPTIONS', headers });
      return reply.get('Allow')?.includes(method) ?? false;
    };
    expect([id, await servedAt('production'), await servedAt('quickstart')]).toEqual([
      id,
      operationOf(id).api === 'production',
      operationOf(id).api === 'quickstart',
    ]);
  }
});

describe('configured base addresses', () => {
  test('with different paths are distinguished by path, whatever the host', async () => {
    await using started = await startAt('https://a.example/one/v1', 'https://b.example/two/v1');

    for (const host of ['a.example', 'b.example', 'c.example:8080', '127.0.0.1']) {
      expect(await answering(started, host, '/one/v1/pets')).toBe('production');
      expect(await answering(started, host, '/two/v1/pets')).toBe('staging');
      expect(await answering(started, host, '/v1/pets')).toBe(404);
    }
  });

  test('with percent-encoded letters in their paths are the same as without', async () => {
    await using started = await startAt(
      'https://a.example/%7Eone/v1',
      'https://a.example/tw%6F/v1',
    );

    for (const path of ['/%7Eone/v1/pets', '/~one/v1/pets', '/~%6fne/v1/p%65ts']) {
      expect(await answering(started, 'a.example', path)).toBe('production');
    }
    expect(await answering(started, 'a.example', '/two/v1/pets')).toBe('staging');
  });

  test('nested in one another: the longer path decides', async () => {
    await using started = await startAt('https://a.example/v1', 'https://a.example/v1/sandbox/v1');

    expect(await answering(started, 'a.example', '/v1/pets')).toBe('production');
    expect(await answering(started, 'a.example', '/v1/sandbox/v1/pets')).toBe('staging');
    expect(await answering(started, 'a.example', '/v1/sandbox/pets')).toBe(404);
  });

  test('with the same path are distinguished by host, in upper or lower case', async () => {
    await using started = await startAt(
      'https://api.example/v1',
      'https://staging.example:8443/v1',
    );

    expect(await answering(started, 'api.example', '/v1/pets')).toBe('production');
    expect(await answering(started, 'API.Example', '/v1/pets')).toBe('production');
    expect(await answering(started, 'staging.example:8443', '/v1/pets')).toBe('staging');
  });

  test('with the same path: a port that goes without saying may be said', async () => {
    await using started = await startAt('https://api.example/v1', 'http://staging.example:80/v1');

    expect(await answering(started, 'api.example:443', '/v1/pets')).toBe('production');
    expect(await answering(started, 'staging.example', '/v1/pets')).toBe('staging');
    expect(await answering(started, 'staging.example:80', '/v1/pets')).toBe('staging');
  });

  test.each(['other.example', 'api.example:8080', 'staging.example', 'api.example.evil'])(
    'with the same path and an unknown host, %s, serve nothing',
    async (host) => {
      await using started = await startAt(
        'https://api.example/v1',
        'https://staging.example:8443/v1',
      );

      const reply = await get(started, host, '/v1/pets', started.keys.production);

      expect(JSON.parse(reply.body)).toEqual({
        status: 404,
        code: 'not_found',
        message: `Nothing is served for the host ${host}. This path is served for api.example and staging.example:8443.`,
      });
    },
  );

  test('are what Link headers and the document are written with', async () => {
    await using started = await startAt('https://api.example/v1', 'https://staging.example/v1');
    const { keys } = started;
    await started.service.stores
      .environment('staging')
      .pets.import([{ name: 'second', categoryId: 1n, status: 'available' }]);

    const page = await get(started, 'staging.example', '/v1/pets?limit=1', keys.staging);
    const document = await get(started, 'staging.example', '/v1/openapi.json', '');

    expect(page.headers['link']).toBe(
      '<https://staging.example/v1/pets?limit=1&after=1>; rel="next"',
    );
    expect(JSON.parse(document.body).servers).toMatchObject([
      { url: 'https://staging.example/v1' },
    ]);
  });
});

describe('serve --only', () => {
  test.each([
    ['staging', 'production'],
    ['production', 'staging'],
  ] as const)('%s leaves %s unserved', async (served, other) => {
    using folder = temporaryFolder();
    await using service = await ServiceProcess.start({ PETSTORE_DATA_DIR: folder.path }, [
      '--only',
      served,
    ]);

    const here = await fetch(`${service.url(served)}/pets`);
    const there = await fetch(`${service.url(other)}/pets`);

    expect(await refusalOf(here)).toMatchObject({ status: 401, code: 'missing_api_key' });
    expect(await refusalOf(there)).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('lets two processes share one folder, an environment each', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path };
    await using production = await ServiceProcess.start(settings, ['--only', 'production']);
    await using staging = await ServiceProcess.start(settings, ['--only', 'staging']);
    const key = ['keys', 'create', 'dev@example.com', '--environment', 'staging'];
    await runCommand(['accounts', 'create', 'dev@example.com'], settings);
    const { stdout } = await runCommand(key, settings);
    const headers = { Authorization: `Bearer ${stdout.trim()}` };

    const there = await fetch(`${staging.url('staging')}/pets`, { headers });
    const here = await fetch(`${production.url('production')}/pets`, { headers });

    expect(there.status).toBe(200);
    expect(await refusalOf(here)).toMatchObject({ status: 401, code: 'invalid_api_key' });
  });

  test('something unknown is refused', async () => {
    using folder = temporaryFolder();

    const result = await runCommand(['serve', '--only', 'moon'], {
      PETSTORE_DATA_DIR: folder.path,
    });

    expect(result.code).toBe(2);
    expect(result.stderr).toContain('production');
  });
});
