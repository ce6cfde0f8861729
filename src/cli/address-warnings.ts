import { hostname } from 'node:os';
import type { RunningService } from '../app.ts';
import {
  ADDRESSED,
  addressesOf,
  BASE_URL_SETTINGS,
  type Config,
  type Part,
} from '../config/config.ts';
import { isLocalHost, isWildcard } from '../lib/ip-address.ts';
import type { Log } from '../observability/log.ts';

/** Warns when the public addresses do not lead to the service, or lead to it over plain http. */
export function warnAboutAddresses(
  config: Config,
  service: RunningService,
  only: readonly Part[],
  log: Log,
): void {
  if (!isLocalHost(config.host)) warnIfUnreachable(config, service, only, log);
  warnIfPlain(service, only, log);
}

/**
 * Warns when the public addresses of a service that listens beyond this machine lead only to this machine, so
 * that nobody else could sign up or follow a link. Shows the settings to copy.
 */
function warnIfUnreachable(
  { host }: Config,
  service: RunningService,
  only: readonly Part[],
  log: Log,
): void {
  const isReachable = only.some((part) => !isLocalHost(new URL(service.addresses[part]).hostname));
  if (isReachable) return;
  log.warn(
    { host, set: settingsFor(host, service) },
    'listens beyond this machine, where the public addresses do not lead; set them, or PETSTORE_PUBLIC_URL',
  );
}

/** The base URLs with the host that other machines reach: the one listened on, or this machine's name. */
function settingsFor(host: string, service: RunningService): readonly string[] {
  const name = isWildcard(host) ? hostname() : host.includes(':') ? `[${host}]` : host;
  return ADDRESSED.map((addressed) => {
    const url = new URL(service.addresses[addressed]);
    url.hostname = name;
    return `${BASE_URL_SETTINGS[addressed]}=${url.href.replace(/\/$/, '')}`;
  });
}

/**
 * Warns when people are told to use a public address over plain http. Behind a proxy that ends TLS
 * the address is https.
 */
function warnIfPlain(service: RunningService, only: readonly Part[], log: Log): void {
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
