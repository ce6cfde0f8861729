import { BASE_URL_SETTINGS, type Config, readConfig } from './config.ts';
import type { Variables } from './process-environment.ts';
import type { SETTINGS } from './settings.ts';
import { withoutForeignVariables } from './variables.ts';

/** Settings of a lasting service: the location of its data, and its addresses. */
const OF_LASTING_SERVICES: readonly string[] = [
  'PETSTORE_HOST',
  'PETSTORE_PORT',
  'PETSTORE_OPS_HOST',
  'PETSTORE_OPS_PORT',
  'PETSTORE_TLS_CERT',
  'PETSTORE_TLS_KEY',
  'PETSTORE_KEEP_ALIVE_SECONDS',
  'PETSTORE_DATA_DIR',
  'PETSTORE_DATABASE_URL',
  'PETSTORE_DATABASE_CONNECTIONS',
  'PETSTORE_REDIS_URL',
  'PETSTORE_REDIS_TIMEOUT_MS',
  'PETSTORE_PUBLIC_URL',
  ...Object.values(BASE_URL_SETTINGS),
  'PETSTORE_SECRET',
  'PETSTORE_PREVIOUS_SECRETS',
  'PETSTORE_SMTP_URL',
  'PETSTORE_SMTP_TLS',
  'PETSTORE_MAIL_FROM',
  'PETSTORE_DRAIN_SECONDS',
  'PETSTORE_TRUSTED_PROXIES',
  'PETSTORE_BACKUP_WARN_HOURS',
] satisfies Array<keyof typeof SETTINGS>;

/**
 * The settings of a throwaway service that is started for a command: it picks free ports, and logs only
 * warnings unless PETSTORE_LOG_LEVEL is set. The location and addresses of a lasting service are ignored,
 * variables of others such as PETSTORE_API_KEY too, and it sends no traces: the variables of OpenTelemetry are meant for the command.
 * @throws SetupError with the problems of all settings, one per line.
 */
export function readThrowawayConfig(environment: Variables): Config {
  const known = Object.entries(withoutForeignVariables(environment));
  const kept = known.filter(([name]) => !OF_LASTING_SERVICES.includes(name));
  return readConfig({
    PETSTORE_LOG_LEVEL: 'warn',
    ...Object.fromEntries(kept),
    PETSTORE_PORT: '0',
    PETSTORE_OPS_PORT: '0',
    OTEL_SDK_DISABLED: 'true',
  });
}
