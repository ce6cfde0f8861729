import type { Environment } from '../../../src/core/environments.ts';
import type { TestService } from '../../support/harness.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** The orders of an account, with a key of it. */
export function ordersOf(
  service: TestService,
  key: string,
  environment: Environment = 'production',
) {
  const send = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) =>
    service.request(`/store/orders${path}`, {
      ...{ key, environment, method, headers: { ...JSON_TYPE, ...headers } },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  return {
    /** Sends anything to POST /store/orders. */
    post: (body: unknown, headers?: Record<string, string>) => send('POST', '', body, headers),
    create: (petId: number, headers?: Record<string, string>) =>
      send('POST', '', { petId }, headers),
    list: (query = '') => send('GET', query),
    get: (id: number | string, headers?: Record<string, string>) =>
      send('GET', `/${id}`, undefined, headers),
    /** Sends anything to PATCH /store/orders/{orderId}. */
    patch: (id: number | string, body: unknown, headers?: Record<string, string>) =>
      send('PATCH', `/${id}`, body, headers),
    update: (id: number | string, status: string, headers?: Record<string, string>) =>
      send('PATCH', `/${id}`, { status }, headers),
  };
}

/** A new account that orders animals. */
export async function orderScene(service: TestService) {
  const { secret: key, account } = await service.account();
  const orders = ordersOf(service, key);
  return {
    key,
    account,
    ...orders,
    /** Adds an animal; returns its id. */
    async addPet(fields: object = {}): Promise<number> {
      const added = await service.post(key, { name: 'Rex', categoryId: 7, ...fields });
      return (await added.json()).id;
    },
    async petStatus(id: number): Promise<string> {
      return (await (await service.request(`/pets/${id}`, { key })).json()).status;
    },
    /** Orders an animal, by default a new one, and brings the order to this status. */
    async order(status = 'placed', petId?: number) {
      const created = await orders.create(petId ?? (await this.addPet()));
      const order = await created.json();
      const steps: Readonly<Record<string, readonly string[]>> = {
        approved: ['approved'],
        delivered: ['approved', 'delivered'],
        cancelled: ['cancelled'],
      };
      let tag = created.headers.get('ETag') ?? '';
      for (const step of steps[status] ?? []) {
        tag = (await orders.update(order.id, step)).headers.get('ETag') ?? '';
      }
      return { id: Number(order.id), petId: Number(order.petId), tag, body: order };
    },
  };
}
