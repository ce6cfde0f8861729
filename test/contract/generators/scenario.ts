import assert from 'node:assert/strict';
import { API_PARTS } from '../../../src/core/environments.ts';
import { subscribe } from '../../../src/core/limits/plans.ts';
import { TestService } from '../../support/harness.ts';

/*
 * The calls that the program of every generator makes, with results printed as lines `fact: value`: it creates
 * three pets, pages through them, filters, gets one, changes it, deletes another, sends a message, and receives 401,
 * 404, 412 and 429.
 */

/** An integer beyond 2^53. */
export const LARGE = 9007199254740993n;

/** The expected output of a program. */
const EXPECTED = {
  calls: {
    created: /^1 Biscuit 7 available$/,
    pages: /^1,2 3$/,
    filtered: /^2$/,
    fetched: /^Biscuit$/,
    // With a merge patch, and the tag of the pet that was fetched.
    changed: /^1 Biscuit sold$/,
    // A success without a body.
    deleted: /^204$/,
    sent: /^queued$/,
  },
  errors: {
    unauthorized: /^401 invalid_api_key$/,
    missing: /^404 pet_not_found$/,
    // The second change with the same tag.
    stale: /^412 precondition_failed$/,
    // With the seconds of Retry-After.
    limited: /^429 rate_limited ([1-9]|[1-5]\d|60)$/,
  },
} as const;

/** The facts that a program printed about its client. */
export interface Findings {
  readonly calls: boolean;
  readonly errors: boolean;
  readonly integers: 'exact' | 'exact when set' | 'rounded';
  /** Descriptions of the unexpected facts. */
  readonly problems: readonly string[];
}

/** Reads the output of a program. */
export function findingsOf(output: string): Findings {
  const lines = output.split('\n').map((line) => line.split(': '));
  const facts = new Map(lines.map(([fact = '', value = '']) => [fact, value.trim()]));
  const calls = problemsOf(EXPECTED.calls, facts);
  const errors = problemsOf(EXPECTED.errors, facts);
  const isExact = (fact: string) => facts.get(fact) === String(LARGE);
  const whenSet = isExact('exact integer') ? 'exact when set' : 'rounded';
  return {
    calls: calls.length === 0,
    errors: errors.length === 0,
    integers: isExact('integer') ? 'exact' : whenSet,
    problems: [...calls, ...errors],
  };
}

function problemsOf(
  expected: Readonly<Record<string, RegExp>>,
  facts: ReadonlyMap<string, string>,
): string[] {
  return Object.entries(expected)
    .filter(([fact, pattern]) => !pattern.test(facts.get(fact) ?? ''))
    .map(([fact, pattern]) => `${fact} is "${facts.get(fact)}" instead of ${pattern}`);
}

/** A service for one run of the scenario. */
export class ScenarioService implements AsyncDisposable {
  readonly #service: TestService;
  readonly #key: string;
  readonly #limitedKey: string;

  private constructor(service: TestService, key: string, limitedKey: string) {
    this.#service = service;
    this.#key = key;
    this.#limitedKey = limitedKey;
  }

  static async start(): Promise<ScenarioService> {
    const service = await TestService.start({ parts: API_PARTS });
    const { secret } = await service.account();
    const oneRequest = subscribe('enterprise', { perMinute: 1, perDay: 100 });
    return new ScenarioService(service, secret, (await service.account(oneRequest)).secret);
  }

  /** The served documents, by the names of their clients. */
  async documents(): Promise<Readonly<Record<'pets' | 'messages', string>>> {
    const read = async (url: string) => (await fetch(`${url}/openapi.json`)).text();
    return {
      pets: await read(this.#service.url()),
      messages: await read(this.#service.url('quickstart')),
    };
  }

  /** The environment variables that a program reads. */
  get environment(): Readonly<Record<string, string>> {
    return {
      PETS_URL: this.#service.url(),
      MESSAGES_URL: this.#service.url('quickstart'),
      API_KEY: this.#key,
      LIMITED_KEY: this.#limitedKey,
    };
  }

  /** Compares the stored pets with those that a program leaves. @throws AssertionError */
  async checkPets(): Promise<void> {
    const { pets } = await this.#service.client(this.#key).listPets();
    assert.deepEqual(
      pets.map(({ name, categoryId, status }) => [name, categoryId, status]),
      [
        ['Biscuit', 7, 'sold'],
        ['Pebble', LARGE, 'sold'],
      ],
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#service[Symbol.asyncDispose]();
  }
}
