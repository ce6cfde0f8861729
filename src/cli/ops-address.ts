/** A service that listens on all addresses is asked on the loopback address. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * Where /livez, /readyz and /metrics of a service on this machine are.
 * @param host that the service listens on for operators.
 */
export function opsAddress(host: string, port: number): string {
  const name = LOOPBACK[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
