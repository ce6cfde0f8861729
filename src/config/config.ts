import { resolve } from 'node:path';
import type { BanPolicy } from '../core/bans.ts';
import { API_PARTS, APIS } from '../core/environments.ts';
import type { MailSettings } from '../core/mail.ts';
import { type Limits, PLANS } from '../core/plans.ts';
import { SECOND } from '../lib/clock.ts';
import type { AddressRange } from '../lib/ip-address.ts';
import { type DatabaseSettings, readDatabase } from './database-settings.ts';
import type { RedisAddress } from './redis-address.ts';
import { SettingReader } from './setting-reader.ts';
import { asksForTraces } from './tracing-settings.ts';

/** All settings of an operator: read once, validated and frozen. */
export interface Config {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Address that /livez, /readyz and /metrics listen on. */
  readonly opsHost: string;
  /** Port of /livez, /readyz and /metrics; 0 takes a free one. */
  readonly opsPort: number;
  /** Absolute path of the data folder. */
  readonly dataDir: string;
  /** Key of the digests of API keys; generated in the data folder if not set. */
  readonly secret: string | undefined;
  /** Whether API keys may have been chosen by a person; in services to throw away alone. */
  readonly fixedKeys: boolean;
  /** The PostgreSQL database that is used instead of the data folder. */
  readonly database: DatabaseSettings | undefined;
  /**
   * Base address of an API or of the dashboard.
   * @param port the port that the service listens on.
   */
  baseUrl(name: Addressed, port: number): string;
  /** Mail server and sender; without it no mail is sent. */
  readonly mail: MailSettings | undefined;
  /** E-mail or web address where customers ask for another plan; in the OpenAPI documents. */
  readonly contact: string | undefined;
  /** The Redis that counts requests; without it they are counted in memory. May hold a password. */
  readonly redis: RedisAddress | undefined;
  /** Whether operators change something only in a session that was proven with a second factor. */
  readonly operatorsNeedSecondFactor: boolean;
  readonly trustedProxies: readonly AddressRange[];
  /** Limits of requests without a valid key, per client address. */
  readonly anonymousLimits: Limits;
  readonly banPolicy: BanPolicy;
  /** How long requests are still served after a signal to stop, in ms. */
  readonly drainFor: number;
  readonly logLevel: LogLevel;
  /** Whether requests are traced, according to the variables of OpenTelemetry. */
  readonly tracing: boolean;
}

/** All parts of the service, each at its own base address; a process may serve some of them. */
export const PARTS = [...API_PARTS, 'dashboard'] as const;
export type Part = (typeof PARTS)[number];

/** What has a base address of its own: every part, and the sandbox, which is served with staging. */
export const ADDRESSED = [...APIS, 'dashboard'] as const;
export type Addressed = (typeof ADDRESSED)[number];

/** The base addresses that a process with these parts serves. */
export function addressesOf(parts: readonly Part[]): readonly Addressed[] {
  return ADDRESSED.filter((name) => parts.includes(name === 'sandbox' ? 'staging' : name));
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every setting by its name, with its purpose and its default as the documentation shows them. */
export const SETTINGS = {
  PETSTORE_HOST: { default: '127.0.0.1', purpose: 'Address to listen on.' },
  PETSTORE_PORT: { default: '3000', purpose: 'Port to listen on; 0 picks a free one.' },
  PETSTORE_OPS_HOST: {
    default: '127.0.0.1',
    purpose: 'Address that /livez, /readyz and /metrics listen on.',
  },
  PETSTORE_OPS_PORT: {
    default: '3001',
    purpose: 'Port of /livez, /readyz and /metrics; follows PETSTORE_PORT; 0 picks a free one.',
  },
  PETSTORE_DATA_DIR: { default: './data', purpose: 'Folder for all data.' },
  PETSTORE_DATABASE_URL: {
    default: 'none',
    purpose:
      'PostgreSQL database to use instead of the data folder, such as postgres://user:password@db.example.com/petstore; several servers as one:5432,two:5432; needs PETSTORE_SECRET.',
  },
  PETSTORE_DATABASE_CONNECTIONS: {
    default: '10',
    purpose: 'Connections that one process opens to PostgreSQL, 2 to 1000.',
  },
  PETSTORE_PUBLIC_URL: {
    default: 'http://localhost:3000',
    purpose: 'Public address of the service: the five addresses below follow from it unless set.',
  },
  PETSTORE_BASE_URL: {
    default: 'http://localhost:3000/v1',
    purpose: 'Public base address of production; ends in /v1.',
  },
  PETSTORE_STAGING_BASE_URL: {
    default: 'http://localhost:3000/staging/v1',
    purpose: 'Public base address of staging; ends in /v1.',
  },
  PETSTORE_QUICKSTART_BASE_URL: {
    default: 'http://localhost:3000/quickstart',
    purpose: 'Public base address of the quickstart.',
  },
  PETSTORE_SANDBOX_BASE_URL: {
    default: 'http://localhost:3000/staging/sandbox',
    purpose: 'Public base address of the sandbox of staging.',
  },
  PETSTORE_DASHBOARD_URL: {
    default: 'http://localhost:3000',
    purpose: 'Public address of the dashboard and the API reference.',
  },
  PETSTORE_REDIS_URL: {
    default: 'none',
    purpose:
      'Redis in which several processes count requests together: redis://host:6379, redis+sentinel://host,host/master or redis+cluster://host,host; rediss for TLS. Without it one process counts in memory.',
  },
  PETSTORE_SMTP_URL: {
    default: 'none',
    purpose:
      'Mail server, such as smtps://user:password@mail.example.com. Without it no mail is sent.',
  },
  PETSTORE_MAIL_FROM: {
    default: 'none',
    purpose: 'Sender of mail; goes with PETSTORE_SMTP_URL.',
  },
  PETSTORE_CONTACT: {
    default: 'none',
    purpose:
      'E-mail or web address where people ask for another plan; shown in the OpenAPI documents.',
  },
  PETSTORE_SECRET: {
    default: 'generated in the data folder on the first start',
    purpose: 'Key that API keys are digested and sessions are signed with; at least 32 characters.',
  },
  PETSTORE_OPERATOR_SECOND_FACTOR: {
    default: 'required',
    purpose:
      'Whether an operator must have signed in with a second factor to change anything in the dashboard: required, or optional for a machine of your own.',
  },
  PETSTORE_TRUSTED_PROXIES: {
    default: 'none',
    purpose: 'Addresses or CIDR ranges whose X-Forwarded-For is trusted, separated by commas.',
  },
  PETSTORE_ANONYMOUS_PER_MINUTE: {
    default: String(PLANS.free.limits.perMinute),
    purpose: 'Requests per minute without a valid key, by client address.',
  },
  PETSTORE_ANONYMOUS_PER_DAY: {
    default: String(PLANS.free.limits.perDay),
    purpose: 'Requests per UTC day without a valid key, by client address.',
  },
  PETSTORE_BAN_AFTER: {
    default: '10',
    purpose: 'Refused requests after a 429, in the same window, that ban the key.',
  },
  PETSTORE_BAN_SECONDS: { default: '300', purpose: 'Length of a first ban, in seconds.' },
  PETSTORE_BAN_MAX_SECONDS: { default: '86400', purpose: 'Longest ban, in seconds.' },
  PETSTORE_DRAIN_SECONDS: {
    default: '0',
    purpose:
      'How long requests are still served after a signal to stop, in seconds, while /readyz answers 503; for proxies that ask it.',
  },
  PETSTORE_LOG_LEVEL: { default: 'info', purpose: `One of ${LOG_LEVELS.join(', ')}.` },
} as const satisfies Record<string, { default: string; purpose: string }>;

const PREFIX = 'PETSTORE_';

/** Variables of the documentation's examples and of the commands that `run` and `grade` run. They are no settings. */
const OF_CLIENTS = [
  ...['PETSTORE_URL', 'PETSTORE_KEY', 'PETSTORE_STAGING_URL', 'PETSTORE_STAGING_KEY'],
  ...['PETSTORE_QUICKSTART_URL', 'PETSTORE_SANDBOX_URL'],
  ...['PETSTORE_TASK', 'PETSTORE_PET_ID', 'PETSTORE_CATEGORY_ID', 'PETSTORE_COUNT'],
];

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

const MIN_SECRET_LENGTH = 32;
/** Longest drain, in seconds: service managers do not wait longer. */
const MAX_DRAIN = 600;
const MAX_COUNT = 1_000_000_000;

/** The environment variables, for the processes that commands start. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/**
 * Reads the settings. Nothing else reads `process.env`.
 * @throws SetupError with the problems of all settings, one per line.
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const reader = new SettingReader(environment, SETTINGS, PREFIX, OF_CLIENTS);
  const port = reader.count('PETSTORE_PORT', 0, 65_535);
  const baseUrl = readBaseUrls(reader);
  const smtpUrl = reader.smtpUrl('PETSTORE_SMTP_URL');
  const from = reader.sender('PETSTORE_MAIL_FROM');
  if (reader.isGiven('PETSTORE_SMTP_URL') !== reader.isGiven('PETSTORE_MAIL_FROM')) {
    reader.problem('PETSTORE_SMTP_URL and PETSTORE_MAIL_FROM go together: set both or none.');
  }
  const secret = reader.secret('PETSTORE_SECRET', MIN_SECRET_LENGTH);
  const config: Config = {
    host: withoutBrackets(reader.text('PETSTORE_HOST')),
    port,
    opsHost: withoutBrackets(reader.text('PETSTORE_OPS_HOST')),
    opsPort: readOpsPort(reader, port),
    dataDir: resolve(reader.text('PETSTORE_DATA_DIR')),
    secret,
    fixedKeys: false,
    database: readDatabase(reader, secret),
    baseUrl,
    mail: smtpUrl === undefined || from === undefined ? undefined : { smtpUrl, from },
    contact: reader.contact('PETSTORE_CONTACT'),
    redis: reader.redis('PETSTORE_REDIS_URL'),
    operatorsNeedSecondFactor: reader.isRequired('PETSTORE_OPERATOR_SECOND_FACTOR'),
    trustedProxies: reader.addresses('PETSTORE_TRUSTED_PROXIES'),
    anonymousLimits: Object.freeze({
      perMinute: reader.count('PETSTORE_ANONYMOUS_PER_MINUTE', 1, MAX_COUNT),
      perDay: reader.count('PETSTORE_ANONYMOUS_PER_DAY', 1, MAX_COUNT),
    }),
    banPolicy: Object.freeze({
      after: reader.count('PETSTORE_BAN_AFTER', 1, MAX_COUNT),
      base: reader.count('PETSTORE_BAN_SECONDS', 1, MAX_COUNT) * SECOND,
      maximum: reader.count('PETSTORE_BAN_MAX_SECONDS', 1, MAX_COUNT) * SECOND,
    }),
    drainFor: reader.count('PETSTORE_DRAIN_SECONDS', 0, MAX_DRAIN) * SECOND,
    logLevel: reader.oneOf('PETSTORE_LOG_LEVEL', LOG_LEVELS, 'info'),
    tracing: asksForTraces(environment, (text) => reader.problem(text)),
  };
  if (config.banPolicy.maximum < config.banPolicy.base) {
    reader.problem('PETSTORE_BAN_MAX_SECONDS must be at least PETSTORE_BAN_SECONDS.');
  }
  const byTarget = Map.groupBy(ADDRESSED, (name) => requestTarget(config.baseUrl(name, port)));
  for (const rivals of byTarget.values()) {
    if (rivals.length === 1) continue;
    const names = rivals.map((name) => BASE_URL_SETTINGS[name]).join(' and ');
    reader.problem(`${names} must differ in their host or path.`);
  }
  reader.finish();
  return Object.freeze(config);
}

/** Each is set by itself, follows from the public address, or from the port. */
function readBaseUrls(reader: SettingReader<keyof typeof SETTINGS>): Config['baseUrl'] {
  const publicUrl = reader.baseUrl('PETSTORE_PUBLIC_URL', '');
  const baseUrls = {
    production: reader.baseUrl('PETSTORE_BASE_URL', VERSION_SEGMENT),
    staging: reader.baseUrl('PETSTORE_STAGING_BASE_URL', VERSION_SEGMENT),
    quickstart: reader.baseUrl('PETSTORE_QUICKSTART_BASE_URL', ''),
    sandbox: reader.baseUrl('PETSTORE_SANDBOX_BASE_URL', ''),
    dashboard: reader.baseUrl('PETSTORE_DASHBOARD_URL', ''),
  };
  const paths = {
    production: '/v1',
    staging: '/staging/v1',
    quickstart: '/quickstart',
    sandbox: '/staging/sandbox',
    dashboard: '',
  };
  return (name, port) => baseUrls[name] ?? (publicUrl ?? `http://localhost:${port}`) + paths[name];
}

/** Host and path of a base address: behind a proxy, requests do not show whether they came by TLS. */
function requestTarget(baseUrl: string): string {
  const { host, pathname } = new URL(baseUrl);
  return host + pathname;
}

/** Removes the brackets that an IPv6 address has in a URL. */
function withoutBrackets(host: string): string {
  return /^\[(.*)\]$/.exec(host)?.[1] ?? host;
}

/** Defaults to the port after that of the API; to a free one if that is free as well. */
function readOpsPort(reader: SettingReader<keyof typeof SETTINGS>, port: number): number {
  if (!reader.isGiven('PETSTORE_OPS_PORT')) return port === 0 || port === 65_535 ? 0 : port + 1;
  const opsPort = reader.count('PETSTORE_OPS_PORT', 0, 65_535);
  if (opsPort === port && port !== 0) {
    reader.problem('PETSTORE_OPS_PORT and PETSTORE_PORT must differ.');
  }
  return opsPort;
}
