import type { RunningService } from '../app.ts';
import { addressesOf, BASE_URL_SETTINGS, type Part } from '../config/config.ts';
import { isLocalHost } from '../lib/local-host.ts';
import type { Log } from '../observability/log.ts';

/**
 * Warns when people are told to use a public address over plain http. Behind a proxy that ends TLS
 * the address is https.
 */
export function warnIfPlain(service: RunningService, only: readonly Part[], log: Log): void {
  const plain = addressesOf(only).filter((name) => isPlain(new URL(service.addresses[name])));
  if (plain.length === 0) return;
  const addresses = Object.fromEntries(
    plain.map((name) => [BASE_URL_SETTINGS[name], service.addresses[name]]),
  );
  log.warn(
    addresses,
    'keys, passwords and links are sent in clear to public http addresses; set https addresses, and end TLS in a proxy or with PETSTORE_TLS_CERT and PETSTORE_TLS_KEY',
  );
}

function isPlain({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !isLocalHost(hostname);
}
