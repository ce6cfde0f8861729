import { explainErrors } from '../../../api/error-catalogue.ts';
import type { Contract } from '../../../api/operations.ts';
import { PET_OPERATIONS } from '../../../api/pets/operations.ts';
import { ENVIRONMENTS } from '../../../core/environments.ts';
import { hasRetryAfter } from '../../../core/errors.ts';
import { IDEMPOTENCY_TTL } from '../../../core/idempotency.ts';
import { GRACE } from '../../../core/limits/bans.ts';
import { MESSAGES_KEPT } from '../../../core/messages/messages.ts';
import { ORDER_TRANSITIONS } from '../../../core/orders/order-changes.ts';
import { PET_TRANSITIONS } from '../../../core/pets/pet-changes.ts';
import { PAGE_SIZE } from '../../../core/pets/pets.ts';
import {
  MAX_BAN_SECONDS,
  MAX_CLOCK_OFFSET,
  SANDBOX_LIMITS,
} from '../../../core/sandbox/sandbox.ts';
import type { Transitions } from '../../../core/transitions.ts';
import {
  HEADER_NAMES,
  HEADERS,
  type HeaderName,
  LIMIT_HEADERS,
  REQUEST_HEADERS,
  SIMULATED_REPLY_HEADERS,
} from '../../../http/headers.ts';
import { IDEMPOTENCY_KEY_MAX_LENGTH } from '../../../http/idempotency-key.ts';
import { deprecationHeaders, lifecycleOf } from '../../../http/lifecycle.ts';
import { DAY, SECOND } from '../../../lib/clock.ts';
import { toolsOf } from '../../../mcp/api-tools.ts';
import { describeWait } from '../../describe-wait.ts';
import { document, table } from '../../pages/markdown.ts';
import { headerExample, plans } from '../../pages/reference-sections.ts';
import type { ServiceFacts } from './guide.ts';
import { faultTable, retryAfterRange } from './simulation-tables.ts';

/** Days of a year, averaged over ten years with leap days, as the sandbox counts them. */
const DAYS_OF_A_YEAR = 365.2;

const { deprecation: REMOVAL } = PET_OPERATIONS.getPet;

type Values = Readonly<Record<string, (() => string) | undefined>>;

/**
 * The values that replace `{{name}}` in the text of a guide, by name: those that the service runs
 * with.
 */
export function valuesFor(facts: ServiceFacts): Values {
  const { addresses, contract, banPolicy, anonymousLimits } = facts;
  return {
    ...Object.fromEntries(
      Object.entries(addresses).map(([name, address]) => [name, () => address]),
    ),
    ...TABLES,
    errorSections: () => errorSections(contract),
    errorSimulations: () => codes(contract.errorCodes),
    waitingSimulations: () => codes(contract.errorCodes.filter(hasRetryAfter)),
    toolTable: () => toolTable(addresses, contract),
    replyHeaders: () => replyHeaderSections(addresses, contract),
    unstableOperations: () => unstableOperations(contract),
    deprecationHeaders: () => removalHeaders(addresses),
    anonymousPerMinute: () => number(anonymousLimits.perMinute),
    anonymousPerDay: () => number(anonymousLimits.perDay),
    banAfter: () => number(banPolicy.after),
    banGrace: () => describeWait(GRACE),
    banLength: () => describeWait(banPolicy.base),
    banMaximum: () => describeWait(banPolicy.maximum),
    pageDefault: () => number(PAGE_SIZE.default),
    pageMinimum: () => number(PAGE_SIZE.minimum),
    pageMaximum: () => number(PAGE_SIZE.maximum),
    idempotencyKeyLength: () => number(IDEMPOTENCY_KEY_MAX_LENGTH),
    idempotencyHours: () => describeWait(IDEMPOTENCY_TTL),
    messageDays: () => `${MESSAGES_KEPT / DAY} days`,
    clockYears: () => number(Math.floor(MAX_CLOCK_OFFSET / DAY / DAYS_OF_A_YEAR)),
    sandboxBanSeconds: () => number(MAX_BAN_SECONDS),
    sandboxPerMinute: () => number(SANDBOX_LIMITS.perMinute),
    sunsetDate: () => DATE.format(REMOVAL.sunset),
    sunsetSeconds: () => String(REMOVAL.sunset / SECOND),
  };
}

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

const TABLES: Values = {
  planTable: plans,
  limitHeaders: () =>
    table(
      ['Header', 'Meaning', 'Example'],
      LIMIT_HEADERS.map((name) => [
        `[\`${name}\`](/docs/guides/headers#${name.toLowerCase()})`,
        HEADERS[name].description,
        `\`${HEADERS[name].example}\``,
      ]),
    ),
  petTransitions: () => transitionTable(PET_TRANSITIONS),
  orderTransitions: () => transitionTable(ORDER_TRANSITIONS),
  requestHeaders: () =>
    sections(REQUEST_HEADERS.map(({ name, description }) => [name, description])),
  retryAfterRange,
  faultTable,
};

function errorSections({ errorCodes }: Contract): string {
  return document(
    ...explainErrors(errorCodes).flatMap(({ code, status, meaning, cause, cure }) => [
      `## \`${code}\``,
      `**Status ${status}.** ${meaning}`,
      `**Cause.** ${cause}`,
      `**Cure.** ${cure}`,
    ]),
  );
}

function transitionTable(transitions: Transitions): string {
  return table(
    ['From', 'To'],
    Object.entries(transitions).map(([from, to]) => [from, to.join(', ') || 'none: it is final']),
  );
}

function replyHeaderSections(addresses: ServiceFacts['addresses'], contract: Contract): string {
  return sections([
    ...HEADER_NAMES.map((name): [string, string] => [
      name,
      document(
        HEADERS[name].description,
        `Example: \`${headerExample(name, addresses)}\``,
        operationsWith(name, contract),
      ),
    ]),
    ...SIMULATED_REPLY_HEADERS.map(({ name, description }): [string, string] => [
      name,
      description,
    ]),
  ]);
}

function sections(entries: ReadonlyArray<readonly [name: string, text: string]>): string {
  return document(...entries.flatMap(([name, text]) => [`### \`${name}\``, text]));
}

/** Lists the operations of a reply header that not all operations have. */
function operationsWith(name: string, { operations }: Contract): string {
  const own = operations.filter(({ success }) =>
    success.headers?.some((header: HeaderName) => header === name),
  );
  if (own.length === 0) return '';
  return `On replies of ${own.map(({ id }) => `[${id}](/docs/operations/${id})`).join(', ')}.`;
}

/** The operations that are beta or experimental. */
function unstableOperations({ operations }: Contract): string {
  const unstable = operations.flatMap((operation) => {
    const { id } = operation;
    const note = lifecycleOf(operation).notes.find(({ kind }) => kind === 'stability');
    return note ? [`| [${id}](/docs/operations/${id}) | ${note.badge} |`] : [];
  });
  if (unstable.length === 0) return 'At present every operation is stable.';
  return ['| Operation | Stability |', '|---|---|', ...unstable].join('\n');
}

/** The tools that are available with a key of each environment. */
function toolTable(addresses: ServiceFacts['addresses'], contract: Contract): string {
  return table(
    ['Key of', 'Tools'],
    ENVIRONMENTS.map((environment) => [
      environment,
      codes(toolsOf(environment, addresses, contract).map(({ operation }) => operation.id)),
    ]),
  );
}

function removalHeaders({ production, dashboard }: ServiceFacts['addresses']): string {
  const sent = deprecationHeaders(REMOVAL, {
    baseUrl: production,
    documentation: `${dashboard}/docs`,
  });
  return Object.entries(sent)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function number(value: number): string {
  return value.toLocaleString('en');
}
