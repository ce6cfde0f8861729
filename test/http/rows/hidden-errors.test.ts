import { describe, expect, test } from 'bun:test';
import { ERROR_CODES } from '../../../src/api/error-catalogue.ts';
import { Contract } from '../../../src/api/operations.ts';
import { PARTS } from '../../../src/config/config.ts';
import { isErrorServed } from '../../../src/core/error-stability.ts';
import type { ErrorCode } from '../../../src/core/errors.ts';
import { STABILITIES, type Stability } from '../../../src/core/stability.ts';
import { simulationExamples } from '../../../src/dashboard/web/sandbox/examples.ts';
import { createKey, expectRefusal } from '../../support/dashboard-scene.ts';
import { Visitor } from '../../support/dashboard-visitor.ts';
import { AMPLE, TestService, temporaryFolder } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';
import { runCommand } from '../../support/process.ts';

const BETA = ['not_owner', 'invalid_transition', 'pet_reserved', 'precondition_failed'];
const EXPERIMENTAL = ['order_not_found', 'pet_unavailable'];
const HIDDEN: Readonly<Record<Stability, readonly string[]>> = {
  stable: [...BETA, ...EXPERIMENTAL],
  beta: EXPERIMENTAL,
  experimental: [],
};

/** Pages and documents that list error codes, or simulations. */
const TEXTS = [
  '/docs/guides/errors',
  '/docs/guides/errors.md',
  '/docs/guides/sandbox',
  '/docs/guides/sandbox.md',
  '/docs/search.json',
  '/llms.txt',
  '/reference.md',
];

/** The error codes in a text. */
function codesIn(text: string): string[] {
  const words = new Set(text.match(/[a-z]+(?:_[a-z]+)*/g));
  return ERROR_CODES.filter((code) => words.has(code));
}

test.each(STABILITIES)(
  'the level of each code is that of the operations that return it: %s',
  (least) => {
    const returnedBy = ({ operations }: Contract) =>
      new Set<ErrorCode>(operations.flatMap(({ errors }) => errors));
    const [all, served] = [returnedBy(new Contract()), returnedBy(new Contract(undefined, least))];
    for (const code of ERROR_CODES) {
      // Some codes belong to no operation, such as that of an unknown path.
      const isReturned = !all.has(code) || served.has(code);
      expect([code, isErrorServed(code, least)]).toEqual([code, isReturned]);
    }
  },
);

describe.each(STABILITIES)('a service whose least stable operations are %s', (level) => {
  const hidden = HIDDEN[level];
  const shown = ERROR_CODES.filter((code) => !hidden.includes(code));
  const start = () => TestService.start({ parts: PARTS, settings: { PETSTORE_STABILITY: level } });

  test('names only error codes that its operations return, on every page and in every document', async () => {
    await using service = await start();
    for (const path of TEXTS) {
      const text = await (await fetch(service.dashboardUrl + path)).text();
      expect([path, codesIn(text)]).toEqual([path, shown]);
    }
    for (const name of ['production', 'staging', 'quickstart', 'sandbox'] as const) {
      const document = await (await fetch(`${service.url(name)}/openapi.json`)).json();
      expect(document.components.schemas.KnownErrorCode.enum).toEqual(shown);
      expect(codesIn(JSON.stringify(document))).toEqual(shown);
    }
    const [, errors = []] = simulationExamples(level)[0] ?? [];
    expect(codesIn(JSON.stringify(errors))).toEqual(shown);
  });

  test('simulates only these, for a request, an account and a key', async () => {
    await using service = await start();
    const { secret: key } = await service.account(AMPLE, 'staging');
    const visitor = await Visitor.signUp(service);
    for (const code of [...BETA, ...EXPERIMENTAL]) {
      const isHidden = hidden.includes(code);
      const simulated = await fetch(`${service.url('staging')}/pets`, {
        headers: { Authorization: `Bearer ${key}`, 'Petstore-Simulate': code },
      });
      const refusal = await refusalOf(simulated);
      expect(refusal.code).toBe(isHidden ? 'invalid_parameter' : code);
      const body = JSON.stringify({ simulate: code });
      const set = await fetch(`${service.url('sandbox')}/simulation`, {
        ...{ method: 'PUT', body },
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      });
      expect(set.status).toBe(isHidden ? 400 : 200);
      const wish = { name: code, environment: 'staging', simulate: code } as const;
      if (!isHidden) {
        await createKey(visitor, wish);
        continue;
      }
      expect(codesIn(refusal.message)).toEqual(shown);
      expect(codesIn((await refusalOf(set)).message)).toEqual(shown);
      const message = await expectRefusal(
        await visitor.request('POST', '/api/keys', wish),
        ...([400, 'invalid'] as const),
      );
      expect(codesIn(message)).toEqual(shown);
    }
  });

  test('makes keys for these alone on the command line', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path, PETSTORE_STABILITY: level };
    const options = ['--environment', 'staging', '--simulate', 'pet_unavailable'];
    const { code, stderr } = await runCommand(
      ['keys', 'create', 'a@example.com', ...options],
      settings,
    );
    expect(code).toBe(hidden.length > 0 ? 2 : 0);
    if (hidden.length > 0) expect(codesIn(stderr)).toEqual(shown);
  });
});
