/** Maps the addresses that stand for all interfaces to the loopback address. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * The base address of /livez, /readyz and /metrics of a service on this machine.
 * @param host the host of `PETSTORE_OPS_HOST`.
 */
export function opsAddress(host: string, port: number): string {
  const name = LOOPBACK[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
