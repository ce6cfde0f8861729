import type { Contract, OperationId } from '../../../api/operations.ts';
import { valuesFor } from './facts.ts';
import type { Guide } from './guide.ts';
import { QUICKSTART_GUIDE } from './quickstart.ts';
import agents from './texts/agents.md' with { type: 'text' };
import bans from './texts/bans.md' with { type: 'text' };
import changingAnimals from './texts/changing-animals.md' with { type: 'text' };
import concurrentChanges from './texts/concurrent-changes.md' with { type: 'text' };
import cors from './texts/cors.md' with { type: 'text' };
import deprecation from './texts/deprecation.md' with { type: 'text' };
import environments from './texts/environments.md' with { type: 'text' };
import errors from './texts/errors.md' with { type: 'text' };
import generatedClients from './texts/generated-clients.md' with { type: 'text' };
import headers from './texts/headers.md' with { type: 'text' };
import idempotency from './texts/idempotency.md' with { type: 'text' };
import limits from './texts/limits.md' with { type: 'text' };
import notIncluded from './texts/not-included.md' with { type: 'text' };
import orders from './texts/orders.md' with { type: 'text' };
import paging from './texts/paging.md' with { type: 'text' };
import sandbox from './texts/sandbox.md' with { type: 'text' };
import stability from './texts/stability.md' with { type: 'text' };

type Text = readonly [
  name: string,
  title: string,
  description: string,
  text: string,
  operation?: OperationId,
];

/** The guides whose text is a file. */
const TEXTS: readonly Text[] = [
  ['errors', 'Errors', 'Every error code with its cause and what to do about it.', errors],
  [
    'limits',
    'Limits',
    'Rate limits per minute and per day, and how to back off after a 429.',
    limits,
  ],
  ['bans', 'Bans', 'When a key is banned, for how long, and how to avoid it.', bans],
  ['paging', 'Paging', 'How to read a list of any length, page by page.', paging],
  [
    'idempotency',
    'Idempotency',
    'How to repeat a creation whose reply was lost without creating twice.',
    idempotency,
  ],
  [
    'changing-animals',
    'Changing animals',
    'How to change, sell and delete animals, and whose they are.',
    changingAnimals,
    'updatePet',
  ],
  [
    'concurrent-changes',
    'Concurrent changes',
    'How to change something without overwriting what others have changed.',
    concurrentChanges,
    'updatePet',
  ],
  [
    'orders',
    'Orders',
    'How to order an animal, and what happens when two want the same one.',
    orders,
    'createOrder',
  ],
  ['headers', 'Headers', 'Every header of requests and replies that has a meaning here.', headers],
  [
    'deprecation',
    'Deprecation',
    'Which operation is removed, when, and how replies announce it.',
    deprecation,
  ],
  [
    'stability',
    'Stability',
    'What may change in operations that are stable, beta or experimental.',
    stability,
  ],
  [
    'environments',
    'Environments',
    'Production and staging: addresses, keys, and what they share.',
    environments,
  ],
  ['sandbox', 'Sandbox', 'How to cause limits, bans, failures and dates in staging.', sandbox],
  ['agents', 'Agents', 'The operations as tools of the Model Context Protocol (MCP).', agents],
  [
    'cors',
    'CORS and browsers',
    'How pages of any origin call the API, and what they can read.',
    cors,
  ],
  [
    'generated-clients',
    'Generated clients',
    'The documents to generate clients from, what to set, and large integers.',
    generatedClients,
  ],
  [
    'not-included',
    'What is not included',
    'Webhooks, OAuth and other things that this API does not have, and what to do instead.',
    notIncluded,
  ],
];

/** Every guide of this version, in the order of the navigation. */
export const GUIDES: readonly Guide[] = [QUICKSTART_GUIDE, ...TEXTS.map(textGuide)];

/** The guides of a service. */
export function guidesOf({ operations }: Contract): Guide[] {
  const served = new Set<string>(operations.map(({ id }) => id));
  return GUIDES.filter(({ operation }) => operation === undefined || served.has(operation));
}

/** The text without the parts `{{#operation}}…{{/operation}}` about operations that are not served. */
function servedParts(text: string, { operations }: Contract): string {
  const served = new Set<string>(operations.map(({ id }) => id));
  return text.replaceAll(/\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}/g, (_, id: string, part: string) =>
    served.has(id) ? part : '',
  );
}

function textGuide([name, title, description, text, operation]: Text): Guide {
  return {
    name,
    title,
    description,
    operation,
    body(facts) {
      const values = valuesFor(facts);
      return servedParts(text, facts.contract).replaceAll(/\{\{(\w+)\}\}/g, (_, value: string) => {
        const write = values[value];
        if (!write) throw new Error(`The guide ${name} has an unknown value: ${value}.`);
        return write();
      });
    },
  };
}
