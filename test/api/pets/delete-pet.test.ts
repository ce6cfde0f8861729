import { describe, expect, test } from 'bun:test';
import { TestService } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';
import { rawExchange } from '../../support/raw.ts';
import { sharedService } from '../../support/shared-service.ts';
import { petScene } from './pet-scene.ts';

const REX = { name: 'Rex', categoryId: 7 };

const shared = sharedService();

describe('deletePet', () => {
  test('replies 204 without a body and its headers, with the limits', async () => {
    const it = await petScene(shared(), REX);
    const reply = await it.remove();
    expect([reply.status, await reply.text()]).toEqual([204, '']);
    for (const name of ['Content-Type', 'Content-Length', 'ETag', 'Retry-After']) {
      expect([name, reply.headers.get(name)]).toEqual([name, null]);
    }
    expect(reply.headers.get('Petstore-Stability')).toBe('beta');
    expect(reply.headers.get('Cache-Control')).toBe('no-store');
    expect(reply.headers.has('X-RateLimit-Remaining')).toBeTrue();
  });

  test('leaves no animal: by id, on the list, for a change or a second deletion', async () => {
    const it = await petScene(shared(), REX);
    await it.remove();
    const replies = [await it.get(), await it.patch({ name: 'Tom' }), await it.remove()];
    const anyVersion = { 'If-Match': '*' };
    replies.push(await it.patch({ name: 'Tom' }, anyVersion), await it.remove(anyVersion));
    for (const reply of replies) {
      expect(await refusalOf(reply)).toEqual({
        status: 404,
        code: 'pet_not_found',
        message: `No animal has the id ${it.id}. List animals to see their ids.`,
      });
    }
    const listed = await shared().request(`/pets?after=${it.id - 1}`, { key: it.key });
    expect(await listed.json()).toEqual([]);
  });

  test('leaves the other animals', async () => {
    await using service = await TestService.start();
    const it = await petScene(service, REX);
    await service.post(it.key, { ...REX, name: 'Tom' });
    await service.post(it.key, { ...REX, name: 'Kim' });
    await service.change(it.key, 'DELETE', '/pets/2');
    const listed = await (await service.request('/pets', { key: it.key })).json();
    expect(listed.map(({ id, name }: { id: number; name: string }) => [id, name])).toEqual([
      [1, 'Rex'],
      [3, 'Kim'],
    ]);
  });

  test('lets a creation that is repeated get its first reply, with its tag', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const headers = { 'Idempotency-Key': 'once' };
    const first = await service.post(secret, REX, headers);
    const body = await first.text();
    const replayed = async () => {
      const reply = await service.post(secret, REX, headers);
      expect(reply.headers.get('Idempotent-Replayed')).toBe('true');
      return [reply.status, reply.headers.get('ETag'), await reply.text()];
    };
    const expected = [201, first.headers.get('ETag'), body];
    await service.change(secret, 'PATCH', '/pets/1', { status: 'sold' });
    expect(await replayed()).toEqual(expected);
    await service.change(secret, 'DELETE', '/pets/1');
    expect(await replayed()).toEqual(expected);
  });

  test.each([
    ['an object', 'Content-Length: 2', ['{}']],
    ['broken JSON', 'Content-Length: 4', ['{{{{']],
    ['a form', 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 4', ['id=1']],
    ['1 MB', 'Content-Length: 1000000', ['x'.repeat(1_000_000)]],
    ['a late body', 'Content-Length: 200000', [100, 'x'.repeat(100_000), 100, 'x'.repeat(100_000)]],
    ['chunks', 'Transfer-Encoding: chunked', [100, '5\r\nabcde\r\n', 100, '0\r\n\r\n']],
  ])('ignores a body, and the connection goes on: %s', async (_, framing, body) => {
    const it = await petScene(shared(), REX);
    const { port } = shared();
    const head = (start: string, header: string) =>
      `${start} HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${it.key}\r\n${header}\r\n\r\n`;
    const { replies } = await rawExchange(port, [
      ...[head(`DELETE /v1${it.path}`, framing), ...body, { replies: 1 }],
      head(`GET /v1${it.path}`, 'Connection: close'),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([204, 404]);
  });
});

describe('an animal belongs to the account that added it', () => {
  test('others get 403, whatever the tag, and change nothing', async () => {
    const it = await petScene(shared(), REX);
    const other = await shared().account();
    const replies = [
      await it.patch({ name: 'Tom' }, {}, other.secret),
      await it.patch({ name: 'Tom' }, { 'If-Match': '"other"' }, other.secret),
      await it.patch({ name: 'Tom' }, { 'If-Match': it.tag }, other.secret),
      await it.remove({}, other.secret),
      await it.remove({ 'If-None-Match': '*' }, other.secret),
    ];
    for (const reply of replies) {
      expect(await refusalOf(reply)).toEqual({
        status: 403,
        code: 'not_owner',
        message:
          'This animal belongs to another account. Only the account that added it may change or delete it.',
      });
    }
    expect(await (await it.get()).json()).toEqual({ id: it.id, ...REX, status: 'available' });
  });

  test('that was deleted leaves its animals to anyone', async () => {
    const it = await petScene(shared(), REX);
    const other = await shared().account();
    expect((await it.patch({ name: 'Tom' }, {}, other.secret)).status).toBe(403);
    await shared().stores.accounts.delete(it.account.id, Date.now(), 'test');
    expect((await it.patch({ name: 'Tom' }, {}, other.secret)).status).toBe(200);
    expect((await it.remove({}, other.secret)).status).toBe(204);
  });

  test('another key of the account may change it', async () => {
    const it = await petScene(shared(), REX);
    const options = { environment: 'production', name: 'second' } as const;
    const { text } = await shared().stores.apiKeyService.issue(it.account, options, 'test');
    expect((await it.patch({ name: 'Tom' }, {}, text)).status).toBe(200);
    expect((await it.remove({}, text)).status).toBe(204);
  });

  test('animals of nobody may be changed by anyone', async () => {
    await using service = await TestService.start();
    const pet = { ...REX, status: 'available' } as const;
    await service.stores.environment('production').pets.import([pet]);
    const [one, other] = [await service.account(), await service.account()];
    expect((await service.change(one.secret, 'PATCH', '/pets/1', { name: 'A' })).status).toBe(200);
    expect((await service.change(other.secret, 'PATCH', '/pets/1', { name: 'B' })).status).toBe(
      200,
    );
    expect((await service.change(one.secret, 'DELETE', '/pets/1')).status).toBe(204);
  });

  test('the owner is not on the wire', async () => {
    const it = await petScene(shared(), REX);
    const replies = [await it.get(), await it.patch({ name: 'Tom' })];
    replies.push(await shared().request(`/pets?after=${it.id - 1}`, { key: it.key }));
    for (const reply of replies) {
      const [pet] = [await reply.json()].flat();
      expect(Object.keys(pet)).toEqual(['id', 'name', 'categoryId', 'status']);
    }
  });
});

describe('the checks of a change', () => {
  /** Each request is wrong in all that follows, too. */
  test('come in the order of the reference', async () => {
    const it = await petScene(shared(), { ...REX, status: 'sold' });
    const other = await shared().account();
    const text = { 'Content-Type': 'text/plain' };
    const badTag = { 'If-Match': 'no tag' };
    const oldTag = { 'If-Match': '"old"' };
    const pending = { status: 'pending' };
    const by = (key: string, path: string, body: unknown, headers = {}) =>
      shared().change(key, 'PATCH', path, body, headers);
    const replies = [
      await by('bad', '/nowhere', '{', { ...badTag, ...text }),
      await by(other.secret, '/nowhere', '{', { ...badTag, ...text }),
      await by(other.secret, '/pets/Rex', '{', { ...badTag, ...text }),
      await by(other.secret, '/pets/Rex', '{', { ...oldTag, ...text }),
      await by(other.secret, '/pets/Rex', '{', oldTag),
      await by(other.secret, '/pets/Rex', { id: 1 }, oldTag),
      await by(other.secret, '/pets/Rex', pending, oldTag),
      await by(other.secret, '/pets/987654321', pending, { 'If-Match': '*' }),
      await by(other.secret, it.path, pending, oldTag),
      await by(it.key, it.path, pending, oldTag),
      await by(it.key, it.path, pending, { 'If-None-Match': '*' }),
      await by(it.key, it.path, pending),
    ];
    const codes = await Promise.all(replies.map(async (reply) => (await refusalOf(reply)).code));
    expect(codes).toEqual([
      'invalid_api_key',
      'not_found',
      'invalid_parameter',
      'unsupported_content_type',
      'invalid_json',
      'invalid_body',
      'pet_not_found',
      'pet_not_found',
      'not_owner',
      'precondition_failed',
      'precondition_failed',
      'invalid_transition',
    ]);
  });

  test.each([
    ...['0', '-1', '42000000', '9007199254740993', '9223372036854775807', '-9223372036854775808'],
    ...['9223372036854775808', 'Rex', '1.0', '01', '+1', '%20', '1e3', 'null'],
  ])('say of the id %s that there is no such animal', async (id) => {
    const { secret } = await shared().account();
    for (const [method, body] of [['PATCH', { name: 'Tom' }] as const, ['DELETE'] as const]) {
      const reply = await shared().change(secret, method, `/pets/${id}`, body);
      expect(await refusalOf(reply)).toMatchObject({ status: 404, code: 'pet_not_found' });
    }
  });

  test('count as requests, and past the limit nothing is changed', async () => {
    await using service = await TestService.start();
    const it = await petScene(service, REX);
    const left = async (reply: Promise<Response>) =>
      Number((await reply).headers.get('X-RateLimit-Remaining'));
    const before = await left(it.get());
    expect(await left(it.patch({ name: 'Tom' }))).toBe(before - 1);
    expect(await left(it.patch({}))).toBe(before - 2);
    expect(await left(it.remove())).toBe(before - 3);
  });
});
