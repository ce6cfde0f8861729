import { PLANS } from '../core/limits/plans.ts';
import { STABILITIES } from '../core/stability.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every setting by its name, with its purpose and its default for the documentation. */
export const SETTINGS = {
  PETSTORE_HOST: {
    default: '127.0.0.1',
    purpose: 'Address to listen on; `::` is all addresses, of IPv6 and IPv4.',
  },
  PETSTORE_PORT: { default: '3000', purpose: 'Port to listen on; 0 picks a free one.' },
  PETSTORE_OPS_HOST: {
    default: '127.0.0.1',
    purpose:
      'Address that /livez, /readyz and /metrics listen on; `::` is all addresses, of IPv6 and IPv4.',
  },
  PETSTORE_OPS_PORT: {
    default: '3001',
    purpose:
      'Port of /livez, /readyz and /metrics: by default the one after PETSTORE_PORT; 0 picks a free one.',
  },
  PETSTORE_TLS_CERT: {
    default: 'none',
    purpose:
      'PEM file with the certificate chain for TLS; read again when it changes. The default public addresses then begin with https.',
  },
  PETSTORE_TLS_KEY: {
    default: 'none',
    purpose: 'PEM file with the key of PETSTORE_TLS_CERT, without a passphrase.',
  },
  PETSTORE_KEEP_ALIVE_SECONDS: {
    default: '10',
    purpose:
      'How long a connection stays open without a request, in seconds, 10 to 255; it may close up to 4 s earlier. Behind a balancer, longer than its idle timeout.',
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
    purpose:
      'Public address of the service: each of the five addresses below follows from it unless it is set.',
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
  PETSTORE_REDIS_TIMEOUT_MS: {
    default: '150',
    purpose:
      'How long Redis may send no reply, in milliseconds, 50 to 5000, before each process applies its share of the limits by itself.',
  },
  PETSTORE_SMTP_URL: {
    default: 'none',
    purpose:
      'Mail server, such as smtps://user:password@mail.example.com. Without it no mail is sent.',
  },
  PETSTORE_SMTP_TLS: {
    default: 'required',
    purpose:
      'Whether a mail server at smtp:// on another host must offer STARTTLS: required, or optional to send links in clear to a server that does not.',
  },
  PETSTORE_MAIL_FROM: {
    default: 'none',
    purpose: 'Sender of mail; set it together with PETSTORE_SMTP_URL.',
  },
  PETSTORE_CONTACT: {
    default: 'none',
    purpose:
      'E-mail or web address where people ask for another plan; shown in the OpenAPI documents.',
  },
  PETSTORE_STABILITY: {
    default: 'experimental',
    purpose: `The least stable operations that are served: ${STABILITIES.join(', ')}. Others are absent everywhere; what they stored stays.`,
  },
  PETSTORE_SECRET: {
    default: 'generated in the data folder on the first start',
    purpose: 'Secret for digesting API keys and signing sessions; at least 32 characters.',
  },
  PETSTORE_PREVIOUS_SECRETS: {
    default: 'none',
    purpose:
      'Up to 5 other secrets whose keys, sessions and second factors are accepted while PETSTORE_SECRET changes, separated by commas; a comma in a secret needs a backslash before it.',
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
  PETSTORE_SIGN_UPS_PER_MINUTE: {
    default: '30',
    purpose: 'Sign-ups in the dashboard per minute, by client address.',
  },
  PETSTORE_SIGN_UPS_PER_DAY: {
    default: '300',
    purpose: 'Sign-ups in the dashboard per UTC day, by client address.',
  },
  PETSTORE_BAN_AFTER: {
    default: '10',
    purpose: 'Refused requests after a 429, in the same window, that ban the key.',
  },
  PETSTORE_BAN_SECONDS: { default: '300', purpose: 'Length of a first ban, in seconds.' },
  PETSTORE_BAN_MAX_SECONDS: { default: '86400', purpose: 'Longest ban, in seconds.' },
  PETSTORE_REQUEST_LOG_DAYS: {
    default: '7',
    purpose:
      'How long the request log stores requests of accounts, in days, up to 30; 0 turns it off and deletes its entries.',
  },
  PETSTORE_DRAIN_SECONDS: {
    default: '0',
    purpose:
      'How long requests are still served after a signal to stop, in seconds, while /readyz returns 503; for proxies that check it.',
  },
  PETSTORE_BACKUP_WARN_HOURS: {
    default: '48',
    purpose:
      'Age of the last backup, in hours, at which the log and /readyz warn, once backup --to is used.',
  },
  PETSTORE_LOG_LEVEL: { default: 'info', purpose: `One of ${LOG_LEVELS.join(', ')}.` },
} as const satisfies Record<string, { default: string; purpose: string }>;
