import { describe, expect, test } from 'bun:test';
import { PARTS, readConfig } from '../../src/config/config.ts';

describe('the port for operators', () => {
  test.each([
    [{}, 3001],
    [{ PETSTORE_PORT: '4000' }, 4001],
    [{ PETSTORE_PORT: '0' }, 0],
    [{ PETSTORE_PORT: '65535' }, 0],
    [{ PETSTORE_PORT: '4000', PETSTORE_OPS_PORT: '9000' }, 9000],
  ])('follows the other one until it is set: %p', (settings, port) => {
    expect(readConfig(settings).opsPort).toBe(port);
  });

  test('must differ from the other port, unless both are free ones', () => {
    const both = (port: string) => ({ PETSTORE_PORT: port, PETSTORE_OPS_PORT: port });
    expect(() => readConfig(both('4000'))).toThrow(
      'PETSTORE_OPS_PORT and PETSTORE_PORT must differ.',
    );
    expect(readConfig(both('0')).opsPort).toBe(0);
  });
});

test('an IPv6 address to listen on may be written in brackets, as in a URL', () => {
  for (const host of ['::1', '[::1]']) {
    expect(readConfig({ PETSTORE_HOST: host }).host).toBe('::1');
    expect(readConfig({ PETSTORE_OPS_HOST: host }).opsHost).toBe('::1');
  }
});

describe('mail', () => {
  const MAIL = {
    PETSTORE_SMTP_URL: 'smtps://me:secret@mail.example.com',
    PETSTORE_MAIL_FROM: 'petstore@example.com',
  };

  test('is sent where the server and the sender are set', () => {
    expect(readConfig({}).mail).toBe(undefined);
    expect(readConfig(MAIL).mail).toEqual({
      smtpUrl: MAIL.PETSTORE_SMTP_URL,
      from: MAIL.PETSTORE_MAIL_FROM,
      requiresTls: false,
    });
  });

  test.each([
    { PETSTORE_SMTP_URL: MAIL.PETSTORE_SMTP_URL },
    { PETSTORE_MAIL_FROM: MAIL.PETSTORE_MAIL_FROM },
  ])('half of it is refused', (half) => {
    expect(() => readConfig(half)).toThrow(
      'PETSTORE_SMTP_URL and PETSTORE_MAIL_FROM go together: set both or none.',
    );
  });

  test.each([
    ['smtp://mail.example.com', undefined, true],
    ['smtp://mail.example.com', 'required', true],
    ['smtp://mail.example.com', 'optional', false],
    ['smtp://localhost.example.com', 'required', true],
    ['smtp://192.168.1.1', 'required', true],
    ['smtp://127.1.2.3:25', 'required', false],
    ['smtp://[::1]:25', 'required', false],
    ['SMTP://LocalHost', 'required', false],
    ['smtps://mail.example.com', 'required', false],
  ])('by %s with PETSTORE_SMTP_TLS %p needs STARTTLS: %p', (PETSTORE_SMTP_URL, tls, needed) => {
    const settings = { ...MAIL, PETSTORE_SMTP_URL, PETSTORE_SMTP_TLS: tls };
    expect(readConfig(settings).mail?.requiresTls).toBe(needed);
  });

  test('needs or does without STARTTLS, and nothing else', () => {
    expect(() => readConfig({ ...MAIL, PETSTORE_SMTP_TLS: 'never' })).toThrow(
      'PETSTORE_SMTP_TLS must be one of required, optional, not "never".',
    );
  });

  test('an invalid server is refused, and the message does not repeat it', () => {
    const settings = { ...MAIL, PETSTORE_SMTP_URL: 'http://me:secret@mail.example.com' };
    const problem = /^PETSTORE_SMTP_URL must be an address such as [^\n]+$/;
    expect(() => readConfig(settings)).toThrow(problem);
    expect(() => readConfig(settings)).not.toThrow(/me:secret/);
  });
});

describe('the contact', () => {
  test.each([
    ...['plans@example.com', 'https://example.com/plans', 'r&d/plans?#%@example.com'],
    ...['plans@example.xn--p1ai', 'plans@intranet'],
  ])('may be %s', (contact) => {
    expect(readConfig({ PETSTORE_CONTACT: contact }).contact).toBe(contact);
  });

  test.each(['javascript:alert(1)', 'call me', 'ftp://example.com'])('may not be %s', (contact) => {
    expect(() => readConfig({ PETSTORE_CONTACT: contact })).toThrow(
      `PETSTORE_CONTACT must be an e-mail or web address, not "${contact}".`,
    );
  });
});

test('the port for operators is open on this machine alone by default', () => {
  expect(readConfig({ PETSTORE_HOST: '0.0.0.0' }).opsHost).toBe('127.0.0.1');
});

test('the four base addresses follow from the public one unless they are set', () => {
  const config = readConfig({
    PETSTORE_PUBLIC_URL: 'https://pets.example:8443/shop/',
    PETSTORE_STAGING_BASE_URL: 'https://staging.example/v1',
  });
  expect(PARTS.map((part) => config.addresses(3000)[part])).toEqual([
    'https://pets.example:8443/shop/v1',
    'https://staging.example/v1',
    'https://pets.example:8443/shop/quickstart',
    'https://pets.example:8443/shop',
  ]);
});
