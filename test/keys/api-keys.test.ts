import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { rejection } from '../../client/testing/test-client.ts';
import { ApiKeyService } from '../../src/core/keys/api-key-service.ts';
import { environmentOfKey, generateApiKey } from '../../src/core/keys/api-key-text.ts';
import { MemoryKeyCache } from '../../src/storage/keys/key-cache.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { ask } from '../support/limit-readings.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const environments = fc.constantFrom('production', 'staging');
const newKeys = environments.map((environment) => generateApiKey(environment));

/** CRC-32 as six digits of base 62, most significant first. */
function checksum(text: string): string {
  const digit = (power: number) => Math.floor(Bun.hash.crc32(text) / 62 ** power) % 62;
  return [5, 4, 3, 2, 1, 0].map((power) => BASE62.charAt(digit(power))).join('');
}

describe("a key's text", () => {
  test('is a prefix, 30 random base62 characters and 6 of a CRC-32', () => {
    for (const [environment, prefix] of [
      ['production', 'pst_live_'],
      ['staging', 'pst_staging_'],
    ] as const) {
      const text = generateApiKey(environment);
      expect(text).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{36}$`));
      expect(text.slice(-6)).toBe(checksum(text.slice(0, -6)));
      expect(environmentOfKey(text)).toBe(environment);
    }
  });

  test('draws about 178 bits, every character as likely as any other', () => {
    const counts = new Map<string, number>();
    const keys = 10_000;
    for (let made = 0; made < keys; made += 1) {
      for (const character of generateApiKey('production').slice(9, 39)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }

    expect([...counts.keys()].sort().join('')).toBe(BASE62);
    expect(30 * Math.log2(counts.size)).toBeGreaterThan(178);
    const mean = (keys * 30) / 62;
    const deviation = [...counts.values()].map((count) => (count - mean) ** 2 / mean);
    // Chi-square with 61 degrees of freedom: uniform draws exceed 160 once in 10^10 runs; bytes modulo 62
    // would give about 3,500.
    expect(deviation.reduce((sum, each) => sum + each)).toBeLessThan(160);
  });

  test('never comes twice', () => {
    const keys = Array.from({ length: 10_000 }, () => generateApiKey('staging'));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('with one wrong character is no key', () => {
    const wrong = fc.string({ minLength: 1, maxLength: 1, unit: 'binary-ascii' });
    fc.assert(
      fc.property(newKeys, fc.nat(), wrong, (text, at, character) => {
        const index = at % text.length;
        fc.pre(text.charAt(index) !== character);
        const typo = text.slice(0, index) + character + text.slice(index + 1);
        expect(environmentOfKey(typo)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  test('with two neighbours swapped, a character lost or one too many is no key', () => {
    fc.assert(
      fc.property(newKeys, fc.nat(), (text, at) => {
        const index = at % (text.length - 1);
        const [one, two] = [text.charAt(index), text.charAt(index + 1)];
        const [head, tail] = [text.slice(0, index), text.slice(index + 2)];
        if (one !== two) expect(environmentOfKey(head + two + one + tail)).toBeUndefined();
        expect(environmentOfKey(head + two + tail)).toBeUndefined();
        expect(environmentOfKey(head + one + one + two + tail)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  test('of any other kind is no key, and does no harm', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => {
        expect(environmentOfKey(text)).toBeUndefined();
        expect(environmentOfKey(`pst_live_${text}`)).toBeUndefined();
      }),
    );
  });
});

describe('a key that cannot be one', () => {
  test('is refused without a look-up', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const { keys } = service.stores;
    let lookUps = 0;
    const source = {
      findByDigest(digest: Buffer) {
        lookUps += 1;
        return keys.findByDigest(digest);
      },
    };
    const ring = new ApiKeyService(keys, new MemoryKeyCache(source), {
      secret: Buffer.from(folderSecret(service)),
      clock: new ManualClock(),
    });
    const typo = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0');

    for (const text of [typo, 'secret', secret.toUpperCase(), `${secret}0`]) {
      expect(await ring.authenticate(text, ['production'])).toMatchObject({
        code: 'invalid_api_key',
        message: 'This is not an API key of this service. Check it for typos.',
      });
    }
    expect(lookUps).toBe(0);
    expect(await ring.authenticate(secret, ['staging'])).toMatchObject({ code: 'invalid_api_key' });
    expect(lookUps).toBe(0);
    expect(await ring.authenticate(secret, ['production'])).toHaveProperty('accountId');
    expect(lookUps).toBe(1);
  });
});

/** Counts its look-ups: one for each computed digest. */
class CountingCache extends MemoryKeyCache {
  asked = 0;

  override get(digest: string) {
    this.asked += 1;
    return super.get(digest);
  }
}

describe('a text longer than any key', () => {
  test('is refused without being digested', async () => {
    await using service = await TestService.start();
    const { keys } = service.stores;
    const cache = new CountingCache(keys);
    const ring = new ApiKeyService(keys, cache, {
      secret: Buffer.from('secret'),
      clock: new ManualClock(),
    });
    const longest = generateApiKey('staging');

    expect(await ring.authenticate('x'.repeat(12_000), ['staging'])).toHaveProperty('code');
    expect(await ring.authenticate(`${longest}0`, ['staging'])).toHaveProperty('code');
    expect(cache.asked).toBe(0);
    await ring.authenticate(longest, ['staging']);
    expect(cache.asked).toBeGreaterThan(0);
  });
});

function folderSecret(service: TestService): string {
  return readFileSync(service.stores.folder.secret, 'utf8').trim();
}

/** The content of every file below the folder, in an encoding that preserves each byte. */
function contents(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'));
}

describe('a new key', () => {
  test('must expire after this moment', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { account } = await service.account();
    const now = clock.now().wall;
    const issue = (expiresAt: number) =>
      service.stores.apiKeyService.issue(
        account,
        { environment: 'production', name: 'short', expiresAt },
        'test',
      );
    for (const past of [now - 1, now]) {
      const message = 'A key must expire in the future.';
      expect(await rejection(issue(past))).toMatchObject({ message });
    }
    const { text } = await issue(now + 1);
    expect((await ask(service, text)).status).toBe(200);
    clock.advance(1);
    expect((await ask(service, text)).status).toBe(401);
  });
});

describe('what is kept of a key', () => {
  test('is an HMAC-SHA-256 under a secret that lies outside of the database', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    using file = new Database(service.stores.folder.accounts, { readonly: true });
    const row = file.query<{ digest: Uint8Array }, []>('SELECT digest FROM api_keys').get();

    const digest = createHmac('sha256', folderSecret(service)).update(secret).digest();
    expect(Buffer.from(row?.digest ?? []).equals(digest)).toBe(true);
    expect(statSync(service.stores.folder.secret).mode & 0o777).toBe(0o600);
    await service.stop();
    const own = contents(service.folder.path).filter((text) =>
      text.includes(folderSecret(service)),
    );
    expect(own).toEqual([`${folderSecret(service)}\n`]);
  });

  test('is nowhere its text, while the service runs or afterwards', async () => {
    await using service = await TestService.start();
    const { account, key, secret } = await service.account();
    const successor = await service.stores.apiKeyService.rotate(key, '1h', 'test');
    for (const text of [secret, successor.text, `${secret}x`]) {
      await ask(service, text);
      await service.post(text, { name: 'Rex', categoryId: 1 });
    }

    const running = contents(service.folder.path);
    await service.stop();
    const files = [...running, ...contents(service.folder.path)];

    const random = [secret, successor.text].map((text) => text.slice(9, -4));
    expect(files.filter((text) => text.includes(account.id))).not.toEqual([]);
    expect(files.filter((text) => random.some((part) => text.includes(part)))).toEqual([]);
  });

  test('shows its prefix and last four characters, no more', async () => {
    await using service = await TestService.start();
    const { account, secret } = await service.account();

    const [key] = await service.stores.keys.list(account.id);

    expect(key).toMatchObject({ prefix: 'pst_live_', lastFour: secret.slice(-4) });
    expect(JSON.stringify(key)).not.toContain(secret.slice(9, -4));
  });
});
