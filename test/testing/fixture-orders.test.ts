import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { parseFixture } from '../../src/throwaway/fixture.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { ServiceProcess } from '../support/process.ts';

const KEY = `pst_live_${'a'.repeat(36)}`;
const ACCOUNT = { email: 'Buyer@example.com', keys: [{ key: KEY }] };
const PET = { name: 'Rex', categoryId: 7 };

/** The problems of a fixture, one per line without its name. */
function problemsOf(fixture: object): string[] {
  try {
    parseFixture(new TextEncoder().encode(JSON.stringify(fixture)), 'FILE');
    return [];
  } catch (error) {
    return String(error instanceof Error ? error.message : error)
      .split('\n')
      .map((line) => line.replace('FILE: ', ''));
  }
}

/** The problems of orders of four animals: an available one without status, and one with each status. */
function problemsOfOrders(...production: object[]): string[] {
  const statuses = ['available', 'pending', 'sold'].map((status) => ({ ...PET, status }));
  const pets = { production: [PET, ...statuses], staging: [PET] };
  return problemsOf({ accounts: [ACCOUNT], pets, orders: { production } });
}

const order = (pet: number, status?: string) => ({
  account: 'buyer@example.com',
  pet,
  ...(status !== undefined && { status }),
});

describe('the orders of a fixture', () => {
  test('are those of the service, with the statuses of their animals, also after a reset', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'fixture.json');
    const readyFile = join(folder.path, 'ready.json');
    const orders = {
      production: [order(1), order(2, 'approved'), order(3, 'delivered'), order(4, 'cancelled')],
    };
    const pets = [PET, { ...PET, status: 'pending' }, PET, PET, { ...PET, status: 'sold' }];
    await Bun.write(
      path,
      JSON.stringify({ accounts: [ACCOUNT], pets: { production: pets }, orders }),
    );
    const args = ['--ephemeral', '--fixture', path, '--ready-file', readyFile];
    await using service = await ServiceProcess.start({ TMPDIR: folder.path }, args);
    await eventually(() => Bun.file(readyFile).exists());
    const { control } = await Bun.file(readyFile).json();
    const call = async (path: string, method = 'GET', body?: object) => {
      const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const reply = await fetch(service.url() + path, init);
      return [reply.status, await reply.json()];
    };
    const expectFixture = async () => {
      const [, listed] = await call('/store/orders');
      expect(
        listed.map(({ id, petId, status }: Record<string, unknown>) => [id, petId, status]),
      ).toEqual([
        [1, 1, 'placed'],
        [2, 2, 'approved'],
        [3, 3, 'delivered'],
        [4, 4, 'cancelled'],
      ]);
      const [, animals] = await call('/pets');
      const statuses = animals.map(({ status }: { status: string }) => status);
      expect(statuses).toEqual(['pending', 'pending', 'sold', 'available', 'sold']);
    };
    await expectFixture();
    expect((await call('/pets/1', 'PATCH', { status: 'sold' }))[0]).toBe(409);
    expect((await call('/store/orders/2', 'PATCH', { status: 'delivered' }))[0]).toBe(200);
    expect((await call('/store/orders', 'POST', { petId: 4 }))[1]).toMatchObject({ id: 5 });
    const reset = await fetch(`${control.url}/reset`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${control.token}` },
    });
    expect(reset.ok).toBeTrue();
    await expectFixture();
  });

  test.each([
    [[], []],
    [[order(1), order(2, 'cancelled'), order(3, 'approved'), order(4, 'delivered')], []],
    [[order(1, 'delivered'), order(1, 'cancelled'), order(1, 'approved')], []],
    [[order(4, 'cancelled'), order(2, 'delivered')], []],
    [[{ ...order(1), account: 'throwaway@example.com' }], []],
    [
      [{ ...order(1), account: 'nobody@example.com' }],
      ['/orders/production/0/account must be the address of an account.'],
    ],
    [
      [order(1), order(5)],
      [
        '/orders/production/1/pet must be the place of an animal of the same environment: it has 4.',
      ],
    ],
    [
      [order(1, 'approved'), order(3), order(1)],
      ['/orders/production/2/pet is an animal with an open order, so nobody can order it again.'],
    ],
    [
      [order(1), order(1, 'cancelled')],
      ['/orders/production/1/pet is an animal with an open order, so nobody can order it again.'],
    ],
    [
      [order(2), order(4, 'approved')],
      [
        '/orders/production/0/pet is an animal with the status "available", but an open order makes it "pending".',
        '/orders/production/1/pet is an animal with the status "sold", but an open order makes it "pending".',
      ],
    ],
  ])('%j have the problems %j', (orders, problems) => {
    expect(problemsOfOrders(...orders)).toEqual(problems);
  });

  test.each([
    [order(0), '/orders/production/0/pet'],
    [order(1.5), '/orders/production/0/pet'],
    [{ ...order(1), pet: '1' }, '/orders/production/0/pet'],
    [order(1, 'open'), '/orders/production/0/status'],
    [{ pet: 1 }, '/orders/production/0/account'],
    [{ account: 'buyer@example.com' }, '/orders/production/0/pet'],
    [{ ...order(1), id: 3 }, '/orders/production/0/id'],
  ])('%j is refused at %s', (given, pointer) => {
    expect(problemsOfOrders(given).map((line) => line.split(' ')[0])).toEqual([pointer]);
  });

  test('count the animals of their own environment', () => {
    const pets = { production: [PET, PET], staging: [PET] };
    const orders = { staging: [order(1), order(2)] };
    expect(problemsOf({ accounts: [ACCOUNT], pets, orders })).toEqual([
      '/orders/staging/1/pet must be the place of an animal of the same environment: it has 1.',
    ]);
  });
});
