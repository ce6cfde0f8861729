import { describe, expect, test } from 'bun:test';
import { TestService } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';
import { sharedService } from '../../support/shared-service.ts';
import { orderScene } from './order-scene.ts';

const shared = sharedService();

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  placed: ['approved', 'cancelled'],
  approved: ['delivered', 'cancelled'],
  delivered: [],
  cancelled: [],
};
const STATUSES = Object.keys(ALLOWED);
const PET_STATUS: Readonly<Record<string, string>> = {
  placed: 'pending',
  approved: 'pending',
  delivered: 'sold',
  cancelled: 'available',
};

describe('updateOrder', () => {
  test.each(STATUSES)(
    'follows the table after %s, and the animal follows the order',
    async (from) => {
      const it = await orderScene(shared());
      for (const to of STATUSES) {
        const { id, petId, tag } = await it.order(from);
        const before = await (await it.get(id)).json();
        const reply = await it.update(id, to);
        const after = await it.get(id);
        if (to === from) {
          expect([reply.status, await reply.json()]).toEqual([200, before]);
          expect(reply.headers.get('ETag')).toBe(tag);
        } else if (ALLOWED[from]?.includes(to)) {
          expect(reply.status).toBe(200);
          expect(await reply.json()).toEqual({
            ...before,
            status: to,
            updatedAt: expect.any(String),
          });
          expect(reply.headers.get('ETag')).toBe(after.headers.get('ETag'));
          expect(reply.headers.get('ETag')).not.toBe(tag);
        } else {
          expect(reply.headers.has('Retry-After')).toBeFalse();
          const allowed = ALLOWED[from]?.join(' or ') || 'no other status';
          expect(await refusalOf(reply)).toEqual({
            status: 409,
            code: 'invalid_transition',
            message: `The status cannot change from ${from} to ${to}. From ${from} it can change to ${allowed}.`,
          });
        }
        const { status } = await after.json();
        expect(await it.petStatus(petId)).toBe(PET_STATUS[status] ?? '');
      }
    },
  );

  test('takes a merge patch, and names its media types', async () => {
    const it = await orderScene(shared());
    const { id } = await it.order();
    const type = { 'Content-Type': 'application/merge-patch+json' };
    expect((await it.update(id, 'approved', type)).status).toBe(200);
    const refused = await it.update(id, 'delivered', { 'Content-Type': 'text/plain' });
    expect(refused.headers.get('Accept-Patch')).toBe(
      'application/json, application/merge-patch+json',
    );
    expect(await refusalOf(refused)).toMatchObject({ code: 'unsupported_content_type' });
  });

  test.each([
    ...['{}', '[]', 'null', '1', '"approved"', '[{"status":"approved"}]', '{"status":null}'],
    ...[
      '{"status":"open"}',
      '{"status":"Approved"}',
      '{"status":1}',
      '{"status":"approved","id":1}',
    ],
    ...[
      '{"id":1}',
      '{"petId":1}',
      '{"status":"approved","petId":null}',
      '{"status":"approved","x":1}',
    ],
  ])('refuses the body %s and changes nothing', async (body) => {
    const it = await orderScene(shared());
    const { id, tag } = await it.order();
    const refusal = await refusalOf(await it.patch(id, body));
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_body' });
    expect((await it.get(id)).headers.get('ETag')).toBe(tag);
  });

  test('passes with If-Match only while the order has this tag', async () => {
    const it = await orderScene(shared());
    const { id, tag } = await it.order();
    for (const value of ['"other"', `W/${tag}`, '"a", "b"']) {
      const refusal = await refusalOf(await it.update(id, 'approved', { 'If-Match': value }));
      expect(refusal).toMatchObject({ status: 412, code: 'precondition_failed' });
      expect(refusal.message).toContain('does not meet If-Match,');
    }
    for (const value of ['*', `W/${tag}`, tag]) {
      const refusal = await refusalOf(await it.update(id, 'approved', { 'If-None-Match': value }));
      expect(refusal).toMatchObject({ status: 412, code: 'precondition_failed' });
      expect(refusal.message).toContain('does not meet If-None-Match,');
    }
    for (const value of ['', 'no tag', '"a" "b"']) {
      const refusal = await refusalOf(await it.update(id, 'approved', { 'If-Match': value }));
      expect(refusal).toMatchObject({ status: 400, code: 'invalid_parameter' });
    }
    expect((await it.update(id, 'approved', { 'If-Match': `"x", ${tag}` })).status).toBe(200);
    expect((await it.update(id, 'delivered', { 'If-Match': tag })).status).toBe(412);
    expect((await it.update(id, 'delivered', { 'If-Match': '*' })).status).toBe(200);
  });

  test('lets exactly one of four clients with the same tag pass', async () => {
    const it = await orderScene(shared());
    const { id, tag } = await it.order();
    const replies = await Promise.all(
      ['approved', 'cancelled', 'approved', 'cancelled'].map((status) =>
        it.update(id, status, { 'If-Match': tag }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
  });

  test('checks in the order of the reference', async () => {
    const [it, other] = [await orderScene(shared()), await orderScene(shared())];
    const { id } = await it.order();
    const text = { 'Content-Type': 'text/plain' };
    const oldTag = { 'If-Match': '"old"' };
    const replies = [
      await it.patch('x', '{', { 'If-Match': 'no tag', ...text }),
      await it.patch('x', '{', { ...oldTag, ...text }),
      await it.patch('x', '{', oldTag),
      await it.patch('x', { id: 1 }, oldTag),
      await it.patch('x', { status: 'delivered' }, oldTag),
      await it.update(987_654_321, 'delivered', { 'If-Match': '*' }),
      await other.update(id, 'delivered', oldTag),
      await it.update(id, 'delivered', oldTag),
      await it.update(id, 'delivered'),
    ];
    const codes = await Promise.all(replies.map(async (reply) => (await refusalOf(reply)).code));
    expect(codes).toEqual([
      'invalid_parameter',
      'unsupported_content_type',
      'invalid_json',
      'invalid_body',
      'order_not_found',
      'order_not_found',
      'order_not_found',
      'precondition_failed',
      'invalid_transition',
    ]);
  });
});

describe('an animal with an open order', () => {
  test.each(['placed', 'approved'])(
    'keeps its status, and cannot be deleted, while it is %s',
    async (status) => {
      const [it, owner] = [await orderScene(shared()), await orderScene(shared())];
      const petId = await owner.addPet();
      const { id } = await it.order(status, petId);
      const change = (body: unknown) => shared().change(owner.key, 'PATCH', `/pets/${petId}`, body);
      const remove = () => shared().change(owner.key, 'DELETE', `/pets/${petId}`);
      for (const reply of [
        await change({ status: 'available' }),
        await change({ name: 'Tom', status: 'sold' }),
        await remove(),
      ]) {
        expect(reply.headers.has('Retry-After')).toBeFalse();
        const refusal = await refusalOf(reply);
        expect(refusal).toMatchObject({ status: 409, code: 'pet_reserved' });
        expect(refusal.message).not.toContain(it.account.id);
      }
      const named = await change({ name: 'Max', categoryId: 9, status: 'pending' });
      expect(await named.json()).toEqual({
        id: petId,
        name: 'Max',
        categoryId: 9,
        status: 'pending',
      });
      await it.update(id, 'cancelled');
      expect((await remove()).status).toBe(204);
      expect(await (await it.get(id)).json()).toMatchObject({ petId, status: 'cancelled' });
    },
  );

  test('can be ordered again after a cancellation, and after it came back', async () => {
    const it = await orderScene(shared());
    const { petId } = await it.order('cancelled');
    await it.order('delivered', petId);
    expect((await it.create(petId)).status).toBe(409);
    await shared().change(it.key, 'PATCH', `/pets/${petId}`, { status: 'available' });
    expect((await it.create(petId)).status).toBe(201);
  });
});

describe('PETSTORE_STABILITY', () => {
  test.each(['beta', 'stable'])(
    '%s serves no orders, and open ones keep their animals',
    async (level) => {
      await using service = await TestService.start({ settings: { PETSTORE_STABILITY: level } });
      const it = await orderScene(service);
      const petId = await it.addPet();
      const { orders } = service.stores.environment('production');
      const now = { wall: Date.now(), elapsed: 0 };
      await orders.create({ accountId: it.account.id, petId }, now);
      for (const reply of [
        await it.create(petId),
        await it.list(),
        await it.get(1),
        await it.update(1, 'cancelled'),
      ]) {
        expect(await refusalOf(reply)).toMatchObject({ status: 404, code: 'not_found' });
      }
      const { paths, components, tags } = await (await service.request('/openapi.json')).json();
      const names = [...Object.keys(paths), ...Object.keys(components.schemas)];
      expect(names.filter((name) => /order/i.test(name))).toEqual([]);
      expect(tags).toEqual([expect.objectContaining({ name: 'Pets' })]);
      expect(await it.petStatus(petId)).toBe('pending');
      const deleted = await service.change(it.key, 'DELETE', `/pets/${petId}`);
      expect(deleted.status).toBe(level === 'beta' ? 409 : 405);
    },
  );
});
