import { isLocalHost } from '../../lib/ip-address.ts';

/** One year, in seconds. */
const MAX_AGE = 31_536_000;

/**
 * The header with which browsers use a public address by https alone (RFC 6797), also behind a proxy that ends TLS. None
 * for plain http, and for a local host: browsers would apply it to every port, and other programs on a developer's
 * machine use plain HTTP.
 * @param baseUrl the public address.
 */
export function transportSecurity(baseUrl: string): Readonly<Record<string, string>> {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== 'https:' || isLocalHost(hostname)) return {};
  return { 'Strict-Transport-Security': `max-age=${MAX_AGE}` };
}
