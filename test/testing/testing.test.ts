import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { startPetstore } from '../../testing/src/index.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { PROGRAM } from '../support/process.ts';
import { rawExchange } from '../support/raw.ts';
import { create, list, sendMeeting, start, timeoutMs } from './petstore-scene.ts';

describe('a petstore for tests', () => {
  test('begins with the fixture, and takes the keys of both environments', async () => {
    await using petstore = await start({
      fixture: { pets: { production: [{ name: 'One', categoryId: '9007199254740993' }] } },
    });
    expect(await (await list(petstore)).text()).toContain('"categoryId":9007199254740993');
    const headers = { Authorization: `Bearer ${petstore.stagingKey}` };
    expect((await fetch(`${petstore.stagingUrl}/pets`, { headers })).status).toBe(200);
  });

  test('adds accounts, whose limits end when time passes', async () => {
    await using petstore = await start();
    const { key } = await petstore.newAccount({ plan: 'enterprise', perMinute: 1, perDay: 10 });
    expect((await list(petstore, key)).status).toBe(200);
    expect((await list(petstore, key)).status).toBe(429);
    await petstore.advance('61s');
    expect((await list(petstore, key)).status).toBe(200);
  });

  test('advances by any duration: times are stored in whole milliseconds', async () => {
    await using petstore = await start();
    await petstore.advance('1.5ms');
    const headers = { 'Idempotency-Key': 'a' };
    expect(await create(petstore, { name: 'Rex', categoryId: 1 }, headers)).toMatchObject({
      id: 1,
    });
    await petstore.reset();
    expect((await petstore.newAccount()).key).toStartWith('pst_live_');
  });

  test('tells which requests arrived, without their keys', async () => {
    await using petstore = await start();
    await list(petstore, petstore.key, '?limit=1');
    await fetch(`${petstore.url}/pets`, {
      method: 'POST',
      headers: { Authorization: 'Bearer none', 'Idempotency-Key': 'k1' },
      body: '{}',
    });
    const [first, second, ...others] = await petstore.requests();
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      method: 'GET',
      url: `${petstore.url}/pets?limit=1`,
      status: 200,
      code: null,
      body: '',
    });
    expect(second).toMatchObject({
      method: 'POST',
      headers: { 'idempotency-key': 'k1' },
      body: '{}',
      status: 401,
      code: 'invalid_api_key',
    });
    expect(JSON.stringify([first, second])).not.toContain(petstore.key);
  });

  const CHUNK = `10000\r\n${'x'.repeat(0x1_0000)}\r\n`;
  test.each([
    ['a length', 'Content-Length: 10000000', 'x'],
    ['chunks', 'Transfer-Encoding: chunked', CHUNK.repeat(2)],
  ])(
    'refuses a body above 64 KiB with %s before its end, and records it empty',
    async (_, header, sent) => {
      await using petstore = await start();
      const { host, port } = new URL(petstore.url);
      const authorization = `Authorization: Bearer ${petstore.key}`;
      const head = ['POST /v1/pets HTTP/1.1', `Host: ${host}`, authorization, header];
      const lines = [...head, 'Content-Type: application/json', 'Connection: close'];
      const { replies } = await rawExchange(Number(port), [`${lines.join('\r\n')}\r\n\r\n${sent}`]);
      expect(replies).toMatchObject([{ status: 413 }]);
      expect(await petstore.requests()).toMatchObject([{ status: 413, body: '' }]);
    },
  );

  test('refuses an account that cannot be, in words', async () => {
    await using petstore = await start();
    const refused = petstore.newAccount({ plan: 'enterprise' });
    expect(refused).rejects.toThrow('needs requests per minute and per day');
    await refused.catch(() => {});
    const nobody = petstore.newAccount({ email: 'nobody' });
    expect(nobody).rejects.toThrow('must be an e-mail address');
    await nobody.catch(() => {});
  });

  test('starts where the tests have variables of OpenTelemetry that the service refuses', async () => {
    const tracing = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    };
    const before = { ...process.env };
    Object.assign(process.env, tracing);
    try {
      await using petstore = await start();
      expect((await list(petstore)).status).toBe(200);
    } finally {
      for (const name of Object.keys(tracing)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });

  test('is gone when it is stopped', async () => {
    const petstore = await start();
    await petstore.stop();
    expect(list(petstore)).rejects.toThrow();
    const calls = [petstore.requests(), petstore.simulate('unavailable')];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({
        status: 'rejected',
        reason: {
          name: 'PetstoreControlError',
          message: 'The petstore does not answer. Was it stopped?',
          cause: expect.any(Error),
        },
      });
    }
  });

  test('stops without waiting for a request that takes long', async () => {
    const petstore = await start();
    const { outcome } = await sendMeeting('delay;ms=9000', petstore);
    await petstore.stop();
    expect(await outcome).toBe('cut off');
  });

  test('has accounts with every address that the service accepts', async () => {
    const email = "r&d!#$%'*+-/=?^_`{|}~@example.xn--p1ai";
    const petstore = await start({ fixture: { accounts: [{ email, keys: [{}] }] } });
    expect(petstore.keys.map(({ account }) => account)).toContain(email);
    await petstore.stop();
    const started = start({ fixture: { accounts: [{ email: 'a@пример.рф' }] } });
    expect(started).rejects.toThrow('a@xn--e1afmkfd.xn--p1ai');
    await started.catch(() => {});
  });

  test('says why it does not start', async () => {
    const started = start({ fixture: { accounts: [{ email: 'nobody' }] } });
    expect(started).rejects.toThrow('/accounts/0/email must be an e-mail address.');
    await started.catch(() => {});
  });

  test('is killed where it is not ready in time', async () => {
    using folder = temporaryFolder(tmpdir());
    const program = `
      await Bun.write('${folder.path}/pid', String(process.pid));
      setInterval(() => {}, 1000);
    `;
    const command = [process.execPath, '-e', program];
    const started = startPetstore({ command, timeoutMs: 3_000 });
    expect(started).rejects.toThrow('not ready after 3000 ms');
    await started.catch(() => {});
    const pid = Number(await Bun.file(`${folder.path}/pid`).text());
    expect(() => process.kill(pid, 0)).toThrow();
  });

  test('ends with the process that started it, however that ends', async () => {
    using folder = temporaryFolder(tmpdir());
    const program = `
      import { startPetstore } from '${new URL('../../testing/src/index.ts', import.meta.url).pathname}';
      const petstore = await startPetstore({ command: ${JSON.stringify(PROGRAM)}, timeoutMs: ${timeoutMs} });
      await Bun.write('${folder.path}/url', petstore.url);
      setInterval(() => {}, 1000);
    `;
    const child = Bun.spawn([process.execPath, '-e', program], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const path = `${folder.path}/url`;
    let url = '';
    await eventually(async () => {
      url = existsSync(path) ? await Bun.file(path).text() : '';
      return url !== '';
    });
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
    child.kill('SIGKILL');
    await eventually(() =>
      fetch(url).then(
        () => false,
        () => true,
      ),
    );
  });
});

describe('reset()', () => {
  const banned = 'pst_live_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
  const fixture = {
    clock: { now: '2030-12-04T12:00:00Z' },
    accounts: [
      { email: 'a@example.com', keys: [{ key: banned }] },
      { email: 'b@example.com', keys: [{ name: 'used' }] },
    ],
    pets: {
      production: [
        { name: 'One', categoryId: 1 },
        { name: 'Two', categoryId: 2 },
      ],
    },
    messages: [{ account: 'a@example.com', message: 'Hello' }],
    bans: [{ key: banned, seconds: 3_600 }],
    usage: [{ account: 'b@example.com', minuteUsed: 58 }],
  };

  test('puts the animals, bans, usage and the time of the fixture back, and keeps the keys', async () => {
    await using petstore = await start({ fixture });
    const used = petstore.keys.find(({ name }) => name === 'used')?.key ?? '';
    const { key } = await petstore.newAccount();
    for (let round = 0; round < 3; round += 1) {
      expect(await (await list(petstore)).json()).toMatchObject([{ id: 1 }, { id: 2 }]);
      expect(await (await list(petstore, banned)).json()).toMatchObject({ code: 'api_key_banned' });
      const first = await list(petstore, used);
      expect(first.headers.get('X-RateLimit-Remaining')).toBe('1');
      const free = await list(petstore, key);
      expect(free.headers.get('X-RateLimit-Remaining')).toBe('59');
      expect(await create(petstore, { name: 'Three', categoryId: 3 })).toMatchObject({ id: 3 });
      expect(await (await list(petstore)).json()).toHaveLength(3);
      await petstore.advance('2h');
      expect((await list(petstore, banned)).status).toBe(200);
      const [{ at } = { at: '' }] = await petstore.requests();
      expect(at).toStartWith('2030-12-04T12:0');
      await petstore.reset();
      expect(await petstore.requests()).toEqual([]);
    }
  });

  test('empties both environments where there is no fixture, and takes the same Idempotency-Key', async () => {
    await using petstore = await start();
    const pet = { name: 'Rex', categoryId: 1 };
    const headers = { 'Idempotency-Key': 'same' };
    for (let round = 0; round < 2; round += 1) {
      expect(await create(petstore, { ...pet, name: `${round}` }, headers)).toMatchObject({
        id: 1,
      });
      const reply = await fetch(`${petstore.stagingUrl}/pets`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${petstore.stagingKey}`,
          'Content-Type': 'application/json',
        },
        body: JSON.stringify(pet),
      });
      expect(await reply.json()).toMatchObject({ id: 1 });
      await petstore.reset();
      expect(await (await list(petstore)).json()).toEqual([]);
    }
  });

  test('that runs several times at once leaves the fixture once', async () => {
    await using petstore = await start({ fixture });
    await Promise.all([petstore.reset(), petstore.reset(), petstore.reset()]);
    expect(await (await list(petstore)).json()).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  test('forgets requests that are not answered yet', async () => {
    await using petstore = await start();
    const { outcome } = await sendMeeting('delay;ms=1000', petstore);
    await petstore.reset();
    expect(await outcome).toBe('answered');
    expect(await petstore.requests()).toEqual([]);
  });

  test('leaves no page of earlier animals in the cache', async () => {
    await using petstore = await start();
    for (let round = 0; round < 3; round += 1) {
      const name = `of round ${round}`;
      for (let count = 0; count < 3; count += 1) await create(petstore, { name, categoryId: 1 });
      for (let look = 0; look < 3; look += 1) {
        const page = await (await list(petstore, petstore.key, '?limit=2')).json();
        expect(page).toMatchObject([{ name }, { name }]);
      }
      await petstore.reset();
    }
  });
});
