import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, readConfig } from '../../src/config/config.ts';
import { LOG_LEVELS, SETTINGS } from '../../src/config/settings.ts';
import { isWithin, parseAddress } from '../../src/lib/ip-address.ts';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';
import { problems } from '../support/setting-problems.ts';

describe('without settings', () => {
  test('the defaults are those that the documentation shows', () => {
    const config = readConfig({});
    expect(config.host).toBe(SETTINGS.PETSTORE_HOST.default);
    expect(String(config.port)).toBe(SETTINGS.PETSTORE_PORT.default);
    expect(config.dataDir).toBe(resolve(SETTINGS.PETSTORE_DATA_DIR.default));
    expect(config.secret).toBeUndefined();
    const { production, staging } = baseUrls(config);
    expect(production).toBe(SETTINGS.PETSTORE_BASE_URL.default);
    expect(staging).toBe(SETTINGS.PETSTORE_STAGING_BASE_URL.default);
    expect(config.trustedProxies).toEqual([]);
    expect(config.anonymousLimits).toEqual({ perMinute: 60, perDay: 1_000 });
    expect(config.banPolicy).toEqual({ after: 10, base: 300_000, maximum: 86_400_000 });
    expect<string>(config.logLevel).toBe(SETTINGS.PETSTORE_LOG_LEVEL.default);
  });

  test('an empty value is the same as none', () => {
    const empty = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '']));
    const plain = ({ addresses: _, ...config }: Config) => config;
    expect(plain(readConfig(empty))).toEqual(plain(readConfig({})));
    expect(baseUrls(readConfig(empty))).toEqual(baseUrls(readConfig({})));
  });

  test('variables of other programs do not matter', () => {
    expect(() => readConfig({ PATH: '/bin', PETSTORE: 'x', MY_PETSTORE_PORT: 'x' })).not.toThrow();
  });

  test('the configuration is frozen', () => {
    const config = readConfig({});
    for (const part of [config, config.anonymousLimits, config.banPolicy]) {
      expect(part).toSatisfy(Object.isFrozen);
    }
  });
});

describe('numbers', () => {
  test.each([
    ['PETSTORE_PORT', 0, 65_535],
    ['PETSTORE_ANONYMOUS_PER_MINUTE', 1, 1_000_000_000],
    ['PETSTORE_ANONYMOUS_PER_DAY', 1, 1_000_000_000],
    ['PETSTORE_BAN_AFTER', 1, 1_000_000_000],
    ['PETSTORE_BAN_SECONDS', 1, 1_000_000_000],
    ['PETSTORE_BAN_MAX_SECONDS', 1, 1_000_000_000],
  ])('%s is a whole number from %d to %d', (name, minimum, maximum) => {
    const others = name.startsWith('PETSTORE_BAN_')
      ? { PETSTORE_BAN_SECONDS: '1', PETSTORE_BAN_MAX_SECONDS: '1000000000' }
      : {};
    for (const good of [minimum, maximum]) {
      expect(problems({ ...others, [name]: String(good) })).toEqual([]);
    }
    for (const bad of [minimum - 1, maximum + 1, '1.5', '1e2', '0x10', ' 1', 'x', '١']) {
      expect(problems({ ...others, [name]: String(bad) })).toEqual([
        `${name} must be a whole number from ${minimum} to ${maximum}, not "${bad}".`,
      ]);
    }
  });

  test('are read into their settings, seconds as milliseconds', () => {
    const config = readConfig({
      PETSTORE_PORT: '8080',
      PETSTORE_ANONYMOUS_PER_MINUTE: '1',
      PETSTORE_ANONYMOUS_PER_DAY: '2',
      PETSTORE_BAN_AFTER: '3',
      PETSTORE_BAN_SECONDS: '4',
      PETSTORE_BAN_MAX_SECONDS: '5',
    });
    expect(config.port).toBe(8080);
    expect(config.anonymousLimits).toEqual({ perMinute: 1, perDay: 2 });
    expect(config.banPolicy).toEqual({ after: 3, base: 4_000, maximum: 5_000 });
  });

  test('the longest ban may be as short as the first one, and no shorter', () => {
    const both = (longest: string) => ({
      PETSTORE_BAN_SECONDS: '60',
      PETSTORE_BAN_MAX_SECONDS: longest,
    });
    expect(problems(both('60'))).toEqual([]);
    expect(problems(both('59'))).toEqual([
      'PETSTORE_BAN_MAX_SECONDS must be at least PETSTORE_BAN_SECONDS.',
    ]);
  });
});

describe('base addresses', () => {
  test('of any two parts must differ', () => {
    const settings = { PETSTORE_QUICKSTART_BASE_URL: 'http://localhost:3000/' };
    expect(() => readConfig(settings)).toThrow(
      'PETSTORE_QUICKSTART_BASE_URL and PETSTORE_DASHBOARD_URL must differ in their host or path.',
    );
  });

  test('follow the port when only that is set', () => {
    expect(baseUrls(readConfig({ PETSTORE_PORT: '4000' }))).toEqual({
      production: 'http://localhost:4000/v1',
      staging: 'http://localhost:4000/staging/v1',
    });
  });

  test('one that is set stays, and the other follows the port', () => {
    const settings = { PETSTORE_PORT: '4000', PETSTORE_BASE_URL: 'https://api.example.com/v1' };
    expect(baseUrls(readConfig(settings))).toEqual({
      production: 'https://api.example.com/v1',
      staging: 'http://localhost:4000/staging/v1',
    });
  });

  test.each([
    ['https://api.example.com/v1/', 'https://api.example.com/v1'],
    ['https://api.example.com/pets/v1', 'https://api.example.com/pets/v1'],
    ['HTTP://API.example.com:80/v1', 'http://api.example.com/v1'],
    ['http://[::1]:3000/v1', 'http://[::1]:3000/v1'],
  ])('%s is taken as %s', (given, taken) => {
    expect(baseUrls(readConfig({ PETSTORE_BASE_URL: given })).production).toBe(taken);
  });

  test.each([
    'https://api.example.com',
    'https://api.example.com/v2',
    'https://api.example.com/v1/pets',
    'https://api.example.com/v1//',
    'https://api.example.com/apiv1x',
    'https://api.example.com/v1?x=1',
    'https://api.example.com/v1#top',
    'https://me:hunter2@api.example.com/v1',
    'ftp://api.example.com/v1',
    'api.example.com/v1',
    '/v1',
  ])('%s is refused, and not repeated', (given) => {
    for (const name of ['PETSTORE_BASE_URL', 'PETSTORE_STAGING_BASE_URL']) {
      expect(problems({ [name]: given })).toEqual([
        `${name} must be an http or https address that ends in /v1, such as https://api.example.com/v1.`,
      ]);
    }
  });

  test.each([
    ['https://api.example.com/v1', 'https://api.example.com/v1/'],
    ['https://api.example.com/v1', 'http://api.example.com/v1'],
    ['http://localhost:3000/staging/v1', ''],
    ['', 'http://localhost:3000/v1'],
  ])('production at "%s" and staging at "%s" have no distinct addresses', (production, staging) => {
    const both = { PETSTORE_BASE_URL: production, PETSTORE_STAGING_BASE_URL: staging };
    expect(problems(both)).toEqual([
      'PETSTORE_BASE_URL and PETSTORE_STAGING_BASE_URL must differ in their host or path.',
    ]);
  });

  test.each([
    ['https://api.example.com/v1', 'https://staging.example.com/v1'],
    ['http://localhost:3000/v1', 'http://localhost:3001/v1'],
    ['https://example.com/live/v1', 'https://example.com/test/v1'],
  ])('production at "%s" and staging at "%s" can', (production, staging) => {
    const both = { PETSTORE_BASE_URL: production, PETSTORE_STAGING_BASE_URL: staging };
    expect(problems(both)).toEqual([]);
  });
});

describe('trusted proxies', () => {
  test.each([
    ['10.0.0.1', '10.0.0.1', '10.0.0.2'],
    ['10.0.0.0/8, 192.168.1.1,', '10.255.0.1', '192.168.1.2'],
    ['fd00::/8', 'fd12::1', 'fe80::1'],
    ['0.0.0.0/0', '203.0.113.9', '::1'],
    ['::ffff:10.0.0.0/104', '10.255.0.1', '11.0.0.1'],
  ])('%s holds %s and not %s', (text, inside, outside) => {
    const { trustedProxies } = readConfig({ PETSTORE_TRUSTED_PROXIES: text });
    const isTrusted = (text: string) => {
      const address = parseAddress(text);
      return address && isWithin(address, trustedProxies);
    };
    expect(isTrusted(inside)).toBe(true);
    expect(isTrusted(outside)).toBe(false);
  });

  test.each(['proxy', '10.0.0', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'fd00::/129', '*'])(
    '%s is refused by name',
    (text) => {
      expect(problems({ PETSTORE_TRUSTED_PROXIES: `127.0.0.1, ${text}` })).toEqual([
        `PETSTORE_TRUSTED_PROXIES must hold addresses or CIDR ranges, not "${text}".`,
      ]);
    },
  );
});

describe('the log level', () => {
  test.each(LOG_LEVELS)('may be %s', (level) => {
    expect(readConfig({ PETSTORE_LOG_LEVEL: level }).logLevel).toBe(level);
  });

  test('is refused when it is another', () => {
    expect(problems({ PETSTORE_LOG_LEVEL: 'verbose' })).toEqual([
      'PETSTORE_LOG_LEVEL must be one of debug, info, warn, error, silent, not "verbose".',
    ]);
  });
});

describe('the secret', () => {
  test('has at least 32 characters', () => {
    expect(problems({ PETSTORE_SECRET: 'x'.repeat(32) })).toEqual([]);
    for (const short of ['x'.repeat(31), ' '.repeat(40), ` ${'x'.repeat(31)}\n`]) {
      expect(problems({ PETSTORE_SECRET: short })).toEqual([
        'PETSTORE_SECRET must have at least 32 characters.',
      ]);
    }
  });

  test('is trimmed, as when it is read from a file', () => {
    const secret = 'x'.repeat(32);
    expect(readConfig({ PETSTORE_SECRET: ` ${secret}\n` }).secret).toBe(secret);
  });
});

describe('invalid settings', () => {
  test('are all reported at startup, one per line, with exit code 2 and before anything is created', async () => {
    using folder = temporaryFolder();
    const settings = {
      PETSTORE_DATA_DIR: join(folder.path, 'data'),
      PETSTORE_PORT: '99999',
      PETSTORE_BASE_URL: 'https://api.example.com',
      PETSTORE_BAN_SECONDS: '90000',
      PETSTORE_SECRET: 'hunter2',
      PETSTORE_PROT: '3000',
    };
    const expected = {
      code: 2,
      stdout: '',
      stderr: [
        'PETSTORE_PROT is not a setting. Did you mean PETSTORE_PORT?',
        'PETSTORE_PORT must be a whole number from 0 to 65535, not "99999".',
        'PETSTORE_BASE_URL must be an http or https address that ends in /v1, such as https://api.example.com/v1.',
        'PETSTORE_SECRET must have at least 32 characters.',
        'PETSTORE_BAN_MAX_SECONDS must be at least PETSTORE_BAN_SECONDS.',
      ]
        .map((line) => `petstore: ${line}\n`)
        .join(''),
    };
    expect(await runCommand(['serve'], settings)).toEqual(expected);
    expect(await runCommand(['keys', 'create', 'a@example.com'], settings)).toEqual(expected);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('include an unknown name that starts with PETSTORE_, even if it is empty', () => {
    expect(problems({ PETSTORE_FOO: '' })).toEqual([
      'PETSTORE_FOO is not a setting. docs/settings.md lists them all.',
    ]);
  });

  test('do not include PETSTORE_KEY, which the examples export', () => {
    expect(problems({ PETSTORE_KEY: 'pst_live_…' })).toEqual([]);
  });
});

function baseUrls(config: Config): { production: string; staging: string } {
  const { production, staging } = config.addresses(config.port);
  return { production, staging };
}
