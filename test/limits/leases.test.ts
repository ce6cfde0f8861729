import { expect, test } from 'bun:test';
import { readConfig } from '../../src/config/config.ts';
import type { Environment } from '../../src/core/environments.ts';
import { acquireLeases } from '../../src/limits/lease.ts';
import { dataFolderAt } from '../../src/storage/data-folder.ts';

test('a lease is renewed while the next one is still being acquired', async () => {
  const { promise: isRenewed, resolve } = Promise.withResolvers<void>();
  const acquire = async (environment: Environment) => {
    if (environment === 'staging') await isRenewed;
    const renew = async () => {
      if (environment === 'production') resolve();
      return true;
    };
    return { renew, release: () => {} };
  };
  await using held = new AsyncDisposableStack();
  const stores = { leases: { acquire }, folder: dataFolderAt('/nowhere') };
  const parts = ['production', 'staging'] as const;
  const acquired = await acquireLeases({ config: readConfig({}), stores, parts }, held);
  expect([...acquired.keys()]).toEqual(['production', 'staging']);
});
