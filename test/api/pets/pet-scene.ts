import type { TestService } from '../../support/harness.ts';

/** An animal that a new account has added, and requests about it with the key of the account. */
export async function petScene(service: TestService, body: unknown) {
  const { secret: key, account } = await service.account();
  const created = await service.post(key, body);
  const { id } = await created.json();
  const path = `/pets/${id}`;
  return {
    key,
    account,
    id: Number(id),
    path,
    /** The entity tag of its creation. */
    tag: created.headers.get('ETag') ?? '',
    get: (headers: Record<string, string> = {}) => service.request(path, { key, headers }),
    patch: (patch: unknown, headers: Record<string, string> = {}, by = key) =>
      service.change(by, 'PATCH', path, patch, headers),
    remove: (headers: Record<string, string> = {}, by = key) =>
      service.change(by, 'DELETE', path, undefined, headers),
  };
}
