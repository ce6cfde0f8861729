import { describe, expect, test } from 'bun:test';
import { temporaryFolder } from '../support/harness.ts';
import { ServiceProcess } from '../support/process.ts';

const WARNING = 'listens beyond this machine, where the public addresses do not lead';

/** The log of a service with these settings, from its start to its stop. */
async function logOf(settings: Readonly<Record<string, string>>): Promise<string> {
  using folder = temporaryFolder();
  await using service = await ServiceProcess.start({ PETSTORE_DATA_DIR: folder.path, ...settings });
  await service.end('SIGTERM');
  return service.output();
}

describe('a start that listens beyond this machine', () => {
  test('shows the settings to copy while the public addresses lead to this machine', async () => {
    const log = await logOf({ PETSTORE_HOST: '0.0.0.0' });
    expect(log).toContain(WARNING);
    for (const [name, path] of [
      ['PETSTORE_BASE_URL', '/v1'],
      ['PETSTORE_STAGING_BASE_URL', '/staging/v1'],
      ['PETSTORE_QUICKSTART_BASE_URL', '/quickstart'],
      ['PETSTORE_DASHBOARD_URL', ''],
    ]) {
      expect(log).toMatch(new RegExp(`"${name}=http://[^/"]+:\\d+${path}"`));
    }
  });

  test('is silent once they lead elsewhere, and where nobody else can connect', async () => {
    const url = { PETSTORE_PUBLIC_URL: 'https://pets.example' };
    expect(await logOf({ PETSTORE_HOST: '0.0.0.0', ...url })).not.toContain(WARNING);
    expect(await logOf({})).not.toContain(WARNING);
  });
});
