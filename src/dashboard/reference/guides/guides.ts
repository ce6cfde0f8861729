import { valuesFor } from './facts.ts';
import type { Guide } from './guide.ts';
import { QUICKSTART_GUIDE } from './quickstart.ts';
import agents from './texts/agents.md' with { type: 'text' };
import bans from './texts/bans.md' with { type: 'text' };
import deprecation from './texts/deprecation.md' with { type: 'text' };
import environments from './texts/environments.md' with { type: 'text' };
import errors from './texts/errors.md' with { type: 'text' };
import generatedClients from './texts/generated-clients.md' with { type: 'text' };
import headers from './texts/headers.md' with { type: 'text' };
import idempotency from './texts/idempotency.md' with { type: 'text' };
import limits from './texts/limits.md' with { type: 'text' };
import paging from './texts/paging.md' with { type: 'text' };
import sandbox from './texts/sandbox.md' with { type: 'text' };
import stability from './texts/stability.md' with { type: 'text' };

/** The guides whose text is a file: name, title, description and text. */
const TEXTS = [
  ['errors', 'Errors', 'Every error code with its cause and what to do about it.', errors],
  ['limits', 'Limits', 'Requests per minute and per day, and how to back off after a 429.', limits],
  ['bans', 'Bans', 'When a key is banned, for how long, and how to avoid it.', bans],
  ['paging', 'Paging', 'How to read a list of any length, page by page.', paging],
  [
    'idempotency',
    'Idempotency',
    'How to repeat a creation whose reply was lost without creating twice.',
    idempotency,
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
    'generated-clients',
    'Generated clients',
    'The documents to generate clients from, what to set, and large integers.',
    generatedClients,
  ],
] as const;

/** Every guide, in the order of the navigation. */
export const GUIDES: readonly Guide[] = [
  QUICKSTART_GUIDE,
  ...TEXTS.map(([name, title, description, text]) => textGuide(name, title, description, text)),
];

function textGuide(name: string, title: string, description: string, text: string): Guide {
  return {
    name,
    title,
    description,
    body(facts) {
      const values = valuesFor(facts);
      return text.replaceAll(/\{\{(\w+)\}\}/g, (_, value: string) => {
        const write = values[value];
        if (!write) throw new Error(`The guide ${name} has an unknown value: ${value}.`);
        return write();
      });
    },
  };
}
