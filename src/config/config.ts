import { resolve } from 'node:path';
import type { MailSettings } from '../core/accounts/mail.ts';
import { API_PARTS, APIS } from '../core/environments.ts';
import type { BanPolicy } from '../core/limits/bans.ts';
import type { Limits } from '../core/limits/plans.ts';
import { STABILITIES, type Stability } from '../core/stability.ts';
import { HOUR, SECOND } from '../lib/clock.ts';
import type { AddressRange } from '../lib/ip-address.ts';
import { readMail } from './mail-settings.ts';
import { type DatabaseAddresses, parsePostgresUrl } from './postgres-address.ts';
import { processEnvironment } from './process-environment.ts';
import { parseRedisUrl, type RedisAddress } from './redis-address.ts';
import { SettingReader } from './setting-reader.ts';
import { LOG_LEVELS, type LogLevel, type SETTINGS } from './settings.ts';
import { asksForTraces } from './tracing-settings.ts';
import { unknownSettings, withoutServiceLinks } from './variables.ts';

/** All settings of the service: read once, validated and frozen. */
export interface Config {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Address that /livez, /readyz and /metrics listen on. */
  readonly opsHost: string;
  /** Port of /livez, /readyz and /metrics; 0 picks a free one. */
  readonly opsPort: number;
  /** Absolute paths of the PEM files of the certificate and its key; without them the service uses plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** How long connections stay open without a request, in seconds. */
  readonly keepAliveSeconds: number;
  /** Absolute path of the data folder. */
  readonly dataDir: string;
  /** Key of the digests of API keys; generated in the data folder if not set. */
  readonly secret: string | undefined;
  /** Other secrets whose API keys, sessions and second factors are accepted. */
  readonly previousSecrets: readonly Buffer[];
  /** Whether API keys may have been chosen by a person; only in throwaway services. */
  readonly fixedKeys: boolean;
  /** The PostgreSQL database that is used instead of the data folder. */
  readonly database: DatabaseSettings | undefined;
  /**
   * The base addresses of the APIs and of the dashboard.
   * @param port the port that the service listens on.
   */
  addresses(port: number): Addresses;
  /** The least stable operations that are served. */
  readonly stability: Stability;
  /** Mail server and sender; without it no mail is sent. */
  readonly mail: MailSettings | undefined;
  /** E-mail or web address where customers ask for another plan; in the OpenAPI documents. */
  readonly contact: string | undefined;
  /** The Redis that counts requests; without it they are counted in memory. May hold a password. */
  readonly redis: RedisAddress | undefined;
  /** Time without a reply after which Redis counts as unavailable, in ms. */
  readonly redisTimeout: number;
  /** Whether operators may change something only in a session verified with a second factor. */
  readonly operatorsNeedSecondFactor: boolean;
  readonly trustedProxies: readonly AddressRange[];
  /** Limits of requests without a valid key, per client address. */
  readonly anonymousLimits: Limits;
  /** Limits of sign-ups in the dashboard, per client address. */
  readonly signUpLimits: Limits;
  readonly banPolicy: BanPolicy;
  /** How long requests are kept in the request log, in days; 0 where it is off. */
  readonly requestLogDays: number;
  /** How long requests are still served after a signal to stop, in ms. */
  readonly drainFor: number;
  /** How long requests in flight may take after that, in ms; then they are aborted. */
  readonly stopGrace: number;
  /** Age of the last regular backup at which to warn, in ms. */
  readonly backupWarnAfter: number;
  readonly logLevel: LogLevel;
  /** Whether requests are traced, according to the variables of OpenTelemetry. */
  readonly tracing: boolean;
}

/** The PostgreSQL database. */
export interface DatabaseSettings {
  /** Addresses of its servers, one of which accepts changes; they may hold a password. */
  readonly servers: DatabaseAddresses;
  /** How many connections one process opens. */
  readonly connections: number;
  /** Key of the digests of API keys; the same for every process. */
  readonly secret: string;
}

/** All parts of the service, each with its own base address; a process may serve some of them. */
export const PARTS = [...API_PARTS, 'dashboard'] as const;
export type Part = (typeof PARTS)[number];

/** All that has its own base address: every part, and the sandbox, which is served with staging. */
export const ADDRESSED = [...APIS, 'dashboard'] as const;
export type Addressed = (typeof ADDRESSED)[number];

/** Base addresses, without trailing slashes. */
export type Addresses = Readonly<Record<Addressed, string>>;

/** The base addresses that a process with these parts serves. */
export function addressesOf(parts: readonly Part[]): readonly Addressed[] {
  return ADDRESSED.filter((name) => parts.includes(name === 'sandbox' ? 'staging' : name));
}

/** The setting of each base address. */
export const BASE_URL_SETTINGS = {
  production: 'PETSTORE_BASE_URL',
  staging: 'PETSTORE_STAGING_BASE_URL',
  quickstart: 'PETSTORE_QUICKSTART_BASE_URL',
  sandbox: 'PETSTORE_SANDBOX_BASE_URL',
  dashboard: 'PETSTORE_DASHBOARD_URL',
} as const satisfies Record<Addressed, keyof typeof SETTINGS>;

/** Last path segment of the environments' base addresses. */
const VERSION_SEGMENT = '/v1';

/** The `stopGrace` of a lasting service. */
export const STOP_GRACE = 10 * SECOND;

const MAX_CONNECTIONS = 1_000;
const MAX_REQUEST_LOG_DAYS = 30;
/** In ms. Requests wait this long when Redis fails: less than the idle timeout of connections and `STOP_GRACE`. */
const MAX_REDIS_TIMEOUT = 5 * SECOND;
/** The longest timeout of a connection in the runtime, in seconds; the shortest is its deadline for a request. */
const MAX_KEEP_ALIVE = 255;
/** Longest drain, in seconds: service managers do not wait longer. */
const MAX_DRAIN = 600;
/** Highest age of a backup, in hours: ten years. */
const MAX_BACKUP_AGE = 87_600;
const MAX_COUNT = 1_000_000_000;

/**
 * Reads the settings.
 * @throws SetupError with the problems of all settings, one per line.
 */
export function readConfig(variables = processEnvironment()): Config {
  const environment = withoutServiceLinks(variables);
  const reader = new SettingReader(environment);
  for (const problem of unknownSettings(environment)) reader.problem(problem);
  const port = reader.count('PETSTORE_PORT', 0, 65_535);
  const tls = readTls(reader);
  const addresses = readAddresses(reader, tls ? 'https' : 'http');
  const mail = readMail(reader);
  const secret = reader.secret('PETSTORE_SECRET');
  const config: Config = {
    host: withoutBrackets(reader.text('PETSTORE_HOST')),
    port,
    opsHost: withoutBrackets(reader.text('PETSTORE_OPS_HOST')),
    opsPort: readOpsPort(reader, port),
    tls,
    keepAliveSeconds: reader.count('PETSTORE_KEEP_ALIVE_SECONDS', 10, MAX_KEEP_ALIVE),
    dataDir: resolve(reader.text('PETSTORE_DATA_DIR')),
    secret,
    previousSecrets: reader.otherSecrets('PETSTORE_PREVIOUS_SECRETS', secret),
    fixedKeys: false,
    database: readDatabase(reader, secret),
    addresses,
    stability: reader.oneOf('PETSTORE_STABILITY', STABILITIES, 'experimental'),
    mail,
    contact: reader.contact('PETSTORE_CONTACT'),
    redis: reader.parsed('PETSTORE_REDIS_URL', parseRedisUrl),
    redisTimeout: reader.count('PETSTORE_REDIS_TIMEOUT_MS', 50, MAX_REDIS_TIMEOUT),
    operatorsNeedSecondFactor: reader.isRequired('PETSTORE_OPERATOR_SECOND_FACTOR'),
    trustedProxies: reader.addresses('PETSTORE_TRUSTED_PROXIES'),
    anonymousLimits: Object.freeze({
      perMinute: reader.count('PETSTORE_ANONYMOUS_PER_MINUTE', 1, MAX_COUNT),
      perDay: reader.count('PETSTORE_ANONYMOUS_PER_DAY', 1, MAX_COUNT),
    }),
    signUpLimits: Object.freeze({
      perMinute: reader.count('PETSTORE_SIGN_UPS_PER_MINUTE', 1, MAX_COUNT),
      perDay: reader.count('PETSTORE_SIGN_UPS_PER_DAY', 1, MAX_COUNT),
    }),
    banPolicy: readBanPolicy(reader),
    requestLogDays: reader.count('PETSTORE_REQUEST_LOG_DAYS', 0, MAX_REQUEST_LOG_DAYS),
    drainFor: reader.count('PETSTORE_DRAIN_SECONDS', 0, MAX_DRAIN) * SECOND,
    stopGrace: STOP_GRACE,
    backupWarnAfter: reader.count('PETSTORE_BACKUP_WARN_HOURS', 1, MAX_BACKUP_AGE) * HOUR,
    logLevel: reader.oneOf('PETSTORE_LOG_LEVEL', LOG_LEVELS, 'info'),
    tracing: asksForTraces(environment, (text) => reader.problem(text)),
  };
  reportSharedTargets(reader, addresses(port));
  reader.finish();
  return Object.freeze(config);
}

function readBanPolicy(reader: SettingReader): BanPolicy {
  const base = reader.count('PETSTORE_BAN_SECONDS', 1, MAX_COUNT) * SECOND;
  const maximum = reader.count('PETSTORE_BAN_MAX_SECONDS', 1, MAX_COUNT) * SECOND;
  if (maximum < base) {
    reader.problem('PETSTORE_BAN_MAX_SECONDS must be at least PETSTORE_BAN_SECONDS.');
  }
  return Object.freeze({ after: reader.count('PETSTORE_BAN_AFTER', 1, MAX_COUNT), base, maximum });
}

/** Reports base addresses to which the same requests would belong. */
function reportSharedTargets(reader: SettingReader, addresses: Addresses): void {
  const byTarget = Map.groupBy(ADDRESSED, (name) => requestTarget(addresses[name]));
  for (const rivals of byTarget.values()) {
    if (rivals.length === 1) continue;
    const names = rivals.map((name) => BASE_URL_SETTINGS[name]).join(' and ');
    reader.problem(`${names} must differ in their host or path.`);
  }
}

/** The database, its number of connections and the secret; `undefined` without a database. */
function readDatabase(
  reader: SettingReader,
  secret: string | undefined,
): DatabaseSettings | undefined {
  const servers = reader.parsed('PETSTORE_DATABASE_URL', parsePostgresUrl);
  const connections = reader.count('PETSTORE_DATABASE_CONNECTIONS', 2, MAX_CONNECTIONS);
  if (servers === undefined) return undefined;
  if (secret !== undefined) return Object.freeze({ servers, connections, secret });
  reader.problem(
    'PETSTORE_SECRET must be set with PETSTORE_DATABASE_URL: all processes need the same one.',
  );
  return undefined;
}

function readTls(reader: SettingReader): Config['tls'] {
  const cert = reader.optional('PETSTORE_TLS_CERT');
  const key = reader.optional('PETSTORE_TLS_KEY');
  if (cert !== undefined && key !== undefined) {
    return Object.freeze({ cert: resolve(cert), key: resolve(key) });
  }
  if (cert !== key) {
    reader.problem('PETSTORE_TLS_CERT and PETSTORE_TLS_KEY go together: set both or none.');
  }
  return undefined;
}

/** Each address is set explicitly, or derived from the public address, or else from the port. */
function readAddresses(reader: SettingReader, scheme: 'http' | 'https'): Config['addresses'] {
  const publicUrl = reader.baseUrl('PETSTORE_PUBLIC_URL', '');
  const production = reader.baseUrl('PETSTORE_BASE_URL', VERSION_SEGMENT);
  const staging = reader.baseUrl('PETSTORE_STAGING_BASE_URL', VERSION_SEGMENT);
  const quickstart = reader.baseUrl('PETSTORE_QUICKSTART_BASE_URL', '');
  const sandbox = reader.baseUrl('PETSTORE_SANDBOX_BASE_URL', '');
  const dashboard = reader.baseUrl('PETSTORE_DASHBOARD_URL', '');
  return (port) => {
    const root = publicUrl ?? `${scheme}://localhost:${port}`;
    return {
      production: production ?? `${root}/v1`,
      staging: staging ?? `${root}/staging/v1`,
      quickstart: quickstart ?? `${root}/quickstart`,
      sandbox: sandbox ?? `${root}/staging/sandbox`,
      dashboard: dashboard ?? root,
    };
  };
}

/** Host and path of a base address: behind a proxy, requests do not show whether they used TLS. */
function requestTarget(baseUrl: string): string {
  const { host, pathname } = new URL(baseUrl);
  return host + pathname;
}

/** Removes the brackets that an IPv6 address has in a URL. */
function withoutBrackets(host: string): string {
  return /^\[(.*)\]$/.exec(host)?.[1] ?? host;
}

/** Defaults to the port after that of the API, or to a free port if the API uses one. */
function readOpsPort(reader: SettingReader, port: number): number {
  if (!reader.isGiven('PETSTORE_OPS_PORT')) return port === 0 || port === 65_535 ? 0 : port + 1;
  const opsPort = reader.count('PETSTORE_OPS_PORT', 0, 65_535);
  if (opsPort === port && port !== 0) {
    reader.problem('PETSTORE_OPS_PORT and PETSTORE_PORT must differ.');
  }
  return opsPort;
}
