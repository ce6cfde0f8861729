import { hostname } from 'node:os';
import type { RunningService } from '../app.ts';
import { ADDRESSED, BASE_URL_SETTINGS, type Config, type Part } from '../config/config.ts';
import { isLocalHost } from '../lib/local-host.ts';
import { isWildcard } from '../lib/wildcard-address.ts';
import type { Log } from '../observability/log.ts';

/**
 * Warns when the public addresses of a service that listens beyond this machine lead only to this machine, so
 * that nobody else could sign up or follow a link. Shows the settings to copy.
 */
export function warnIfUnreachable(
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
