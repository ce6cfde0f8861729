import { isWildcard } from '../lib/ip-address.ts';

/** Reaches a service that listens on all addresses: on `::` too, even on a machine without IPv6. */
const LOOPBACK = '127.0.0.1';

/**
 * The base address of /livez, /readyz and /metrics of a service on this machine.
 * @param host the host of `PETSTORE_OPS_HOST`.
 */
export function opsAddress(host: string, port: number): string {
  const name = isWildcard(host) ? LOOPBACK : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
