import { describe, expect, test } from 'bun:test';
import { readConfig } from '../../src/config/config.ts';
import { problems } from '../support/setting-problems.ts';

describe('a variable that looks like a setting', () => {
  test.each([
    ['PETSTORE_DATABASE_URLS', 'PETSTORE_DATABASE_URL'],
    ['PETSTORE_TRUSTED_PROXY', 'PETSTORE_TRUSTED_PROXIES'],
    ['PETSTORE_LOGLEVEL', 'PETSTORE_LOG_LEVEL'],
    ['PETSTORE_PROT', 'PETSTORE_PORT'],
    ['PETSTORE_PRT', 'PETSTORE_PORT'],
    ['PETSTORE_KEEP_ALIVE', 'PETSTORE_KEEP_ALIVE_SECONDS'],
    ['PETSTORE_DRAIN', 'PETSTORE_DRAIN_SECONDS'],
  ])('gets the name of the setting that was meant: %s', (name, meant) => {
    expect(problems({ [name]: '6379' })).toEqual([
      `${name} is not a setting. Did you mean ${meant}?`,
    ]);
  });

  test.each([
    'PETSTORE_API_KEY',
    'PETSTORE_API_URL',
    'PETSTORE_TOKEN',
    'PETSTORE_REDIS',
    'PETSTORE_',
  ])('gets no name when it is not close to one setting: %s', (name) => {
    expect(problems({ [name]: 'x' })).toEqual([
      `${name} is not a setting. docs/settings.md lists them all.`,
    ]);
  });

  test('is accepted if Kubernetes adds it for a service', () => {
    const links = (service: string, port: number, address = `10.0.0.1:${port}`) => ({
      [`${service}_SERVICE_HOST`]: '10.0.0.1',
      [`${service}_SERVICE_PORT`]: String(port),
      [`${service}_SERVICE_PORT_HTTP_API`]: String(port),
      [`${service}_PORT`]: `tcp://${address}`,
      [`${service}_PORT_${port}_TCP`]: `tcp://${address}`,
      [`${service}_PORT_${port}_TCP_PROTO`]: 'tcp',
      [`${service}_PORT_${port}_TCP_PORT`]: String(port),
      [`${service}_PORT_${port}_TCP_ADDR`]: '10.0.0.1',
      [`${service}_PORT_53_UDP`]: 'udp://10.0.0.1:53',
    });
    const settings = {
      ...links('PETSTORE', 80),
      ...links('PETSTORE_OPS', 3001, '[fd00::1]:3001'),
      ...links('PETSTORE_REDIS', 6379),
    };
    expect(problems(settings)).toEqual([]);
    // `PETSTORE_PORT` and `PETSTORE_OPS_PORT` with the address of a service count as not set.
    expect(readConfig(settings)).toMatchObject({ port: 3000, opsPort: 3001 });
  });

  test('is the port of no service', () => {
    expect(problems({ PETSTORE_PORT: 'tcp:10.0.0.1' })).toHaveLength(1);
    expect(problems({ PETSTORE_OTHER_PORT: '3000' })).toHaveLength(1);
  });
});
