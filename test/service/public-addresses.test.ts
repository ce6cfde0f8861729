import { describe, expect, test } from 'bun:test';
import { temporaryFolder } from '../support/harness.ts';
import { ServiceProcess } from '../support/process.ts';

const WARNING = 'listens beyond this machine, where the public addresses do not lead';

/** The log of a service with these settings, from its start to its stop. */
async function logOf(settings: Readonly<Record<string, string>>): Promise<string> {
  using folder = temporaryFolder();
  await using service = await ServiceProcess.startWithPages({
    PETSTORE_DATA_DIR: folder.path,
    ...settings,
  });
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

describe('a public http address', () => {
  const PLAIN = 'are sent in clear to public http addresses';

  test('is warned about at the start, with each setting', async () => {
    const log = await logOf({ PETSTORE_PUBLIC_URL: 'http://pets.example' });
    const warning = log.split('\n').find((line) => line.includes(PLAIN)) ?? '';
    expect(JSON.parse(warning)).toMatchObject({
      level: 40,
      PETSTORE_BASE_URL: 'http://pets.example/v1',
      PETSTORE_STAGING_BASE_URL: 'http://pets.example/staging/v1',
      PETSTORE_QUICKSTART_BASE_URL: 'http://pets.example/quickstart',
      PETSTORE_DASHBOARD_URL: 'http://pets.example',
    });
  });

  test('is the only one that is named', async () => {
    const log = await logOf({
      PETSTORE_PUBLIC_URL: 'https://pets.example',
      PETSTORE_DASHBOARD_URL: 'http://192.168.1.1:3000',
    });
    const warning = log.split('\n').find((line) => line.includes(PLAIN)) ?? '';
    expect(warning).toContain('"PETSTORE_DASHBOARD_URL":"http://192.168.1.1:3000"');
    expect(warning).not.toContain('PETSTORE_BASE_URL');
  });

  test.each([
    'https://pets.example',
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://pets.localhost:3000',
  ])('is none of %s, also behind a proxy that ends TLS', async (url) => {
    expect(await logOf({ PETSTORE_PUBLIC_URL: url })).not.toContain(PLAIN);
  });
});
