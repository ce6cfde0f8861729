import { BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import type { BanPolicy } from './core/bans.ts';
import { SECOND } from './core/clock.ts';
import { ENVIRONMENTS, type Environment } from './core/environments.ts';
import { SetupError } from './core/errors.ts';
import { type Limits, PLANS } from './core/plans.ts';

/** Everything that an operator may set, read once, checked and frozen. */
export interface Config {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Absolute path of the folder that holds everything that is kept. */
  readonly dataDir: string;
  /** What API keys are digested with; made in the data folder when not set. */
  readonly secret: string | undefined;
  /** Base address of each environment, once it is known which port is listened on. */
  baseUrl(environment: Environment, port: number): string;
  readonly trustedProxies: BlockList;
  /** For requests without a valid key, by client address. */
  readonly anonymousLimits: Limits;
  readonly banPolicy: BanPolicy;
  readonly logLevel: LogLevel;
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every setting by its name: what it is for, and its default as the documentation shows it. */
export const SETTINGS = {
  PETSTORE_HOST: { default: '127.0.0.1', purpose: 'Address to listen on.' },
  PETSTORE_PORT: { default: '3000', purpose: 'Port to listen on; 0 picks a free one.' },
  PETSTORE_DATA_DIR: { default: './data', purpose: 'Folder for everything that is kept.' },
  PETSTORE_BASE_URL: {
    default: 'http://localhost:3000/v1',
    purpose: 'Public base address of production; ends in /v1.',
  },
  PETSTORE_STAGING_BASE_URL: {
    default: 'http://localhost:3000/staging/v1',
    purpose: 'Public base address of staging; ends in /v1.',
  },
  PETSTORE_SECRET: {
    default: 'made on the first start, in the data folder',
    purpose: 'What API keys are digested with; at least 32 characters.',
  },
  PETSTORE_TRUSTED_PROXIES: {
    default: 'none',
    purpose: 'Addresses or CIDR ranges whose X-Forwarded-For is believed, separated by commas.',
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
  PETSTORE_LOG_LEVEL: { default: 'info', purpose: `One of ${LOG_LEVELS.join(', ')}.` },
} as const satisfies Record<string, { default: string; purpose: string }>;

type SettingName = keyof typeof SETTINGS;

const MIN_SECRET_LENGTH = 32;
const MAX_COUNT = 1_000_000_000;

/**
 * Reads the settings; the only place that reads `process.env`.
 * @throws SetupError that tells every problem at once, one per line.
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const reader = new SettingReader(environment);
  const port = reader.count('PETSTORE_PORT', 0, 65_535);
  const baseUrls = {
    production: reader.baseUrl('PETSTORE_BASE_URL'),
    staging: reader.baseUrl('PETSTORE_STAGING_BASE_URL'),
  };
  const paths = { production: '/v1', staging: '/staging/v1' };
  const config: Config = {
    host: reader.text('PETSTORE_HOST'),
    port,
    dataDir: resolve(reader.text('PETSTORE_DATA_DIR')),
    secret: reader.secret('PETSTORE_SECRET'),
    baseUrl: (name, listening) => baseUrls[name] ?? `http://localhost:${listening}${paths[name]}`,
    trustedProxies: reader.addresses('PETSTORE_TRUSTED_PROXIES'),
    anonymousLimits: {
      perMinute: reader.count('PETSTORE_ANONYMOUS_PER_MINUTE', 1, MAX_COUNT),
      perDay: reader.count('PETSTORE_ANONYMOUS_PER_DAY', 1, MAX_COUNT),
    },
    banPolicy: {
      after: reader.count('PETSTORE_BAN_AFTER', 1, MAX_COUNT),
      base: reader.count('PETSTORE_BAN_SECONDS', 1, MAX_COUNT) * SECOND,
      maximum: reader.count('PETSTORE_BAN_MAX_SECONDS', 1, MAX_COUNT) * SECOND,
    },
    logLevel: reader.oneOf('PETSTORE_LOG_LEVEL', LOG_LEVELS, 'info'),
  };
  if (config.banPolicy.maximum < config.banPolicy.base) {
    reader.problem('PETSTORE_BAN_MAX_SECONDS must be at least PETSTORE_BAN_SECONDS.');
  }
  if (new Set(ENVIRONMENTS.map((name) => config.baseUrl(name, port))).size < ENVIRONMENTS.length) {
    reader.problem('PETSTORE_BASE_URL and PETSTORE_STAGING_BASE_URL must differ.');
  }
  reader.finish();
  return Object.freeze(config);
}

/** Reads one setting after the other and gathers what is wrong with them. */
class SettingReader {
  readonly #values: Readonly<Record<string, string | undefined>>;
  readonly #problems: string[] = [];

  constructor(values: Readonly<Record<string, string | undefined>>) {
    this.#values = values;
    for (const name of Object.keys(values)) {
      if (!name.startsWith('PETSTORE_') || Object.hasOwn(SETTINGS, name)) continue;
      this.problem(`${name} is not a setting. The README lists them.`);
    }
  }

  problem(text: string): void {
    this.#problems.push(text);
  }

  finish(): void {
    if (this.#problems.length > 0) throw new SetupError(this.#problems.join('\n'));
  }

  text(name: SettingName): string {
    return this.#given(name) ?? SETTINGS[name].default;
  }

  count(name: SettingName, minimum: number, maximum: number): number {
    const text = this.text(name);
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    this.problem(`${name} must be a whole number from ${minimum} to ${maximum}, not "${text}".`);
    return minimum;
  }

  oneOf<T extends string>(name: SettingName, allowed: readonly T[], fallback: T): T {
    const text = this.text(name);
    const value = allowed.find((each) => each === text);
    if (value === undefined) this.problem(`${name} must be one of ${allowed.join(', ')}.`);
    return value ?? fallback;
  }

  secret(name: SettingName): string | undefined {
    const secret = this.#given(name);
    if (secret !== undefined && secret.length < MIN_SECRET_LENGTH) {
      this.problem(`${name} must have at least ${MIN_SECRET_LENGTH} characters.`);
    }
    return secret;
  }

  baseUrl(name: SettingName): string | undefined {
    const text = this.#given(name);
    if (text === undefined) return undefined;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const path = url?.pathname.replace(/\/$/, '');
    const plain = url && !url.search && !url.hash && !url.username && !url.password;
    if (plain && /^https?:$/.test(url.protocol) && path?.endsWith('/v1')) return url.origin + path;
    this.problem(`${name} must be an http or https address that ends in /v1, not "${text}".`);
    return undefined;
  }

  addresses(name: SettingName): BlockList {
    const list = new BlockList();
    for (const entry of (this.#given(name) ?? '').split(',')) {
      const text = entry.trim();
      if (text !== '' && !addToBlockList(list, text)) {
        this.problem(`${name} must hold addresses or CIDR ranges, not "${text}".`);
      }
    }
    return list;
  }

  #given(name: SettingName): string | undefined {
    return this.#values[name] === '' ? undefined : this.#values[name];
  }
}

function addToBlockList(list: BlockList, text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  const longest = version === 6 ? 128 : 32;
  const length = bits === undefined ? longest : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (version === 0 || rest.length > 0 || !(length <= longest)) return false;
  list.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4');
  return true;
}
