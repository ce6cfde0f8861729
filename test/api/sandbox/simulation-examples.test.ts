import { expect, test } from 'bun:test';
import { SIMULATIONS_IN_WORDS } from '../../../src/api/sandbox/schemas.ts';
import { ERRORS } from '../../../src/core/errors.ts';
import { parseSimulation, SIMULATIONS } from '../../../src/core/sandbox/simulations.ts';
import { accountWith, requestWith } from '../../../src/dashboard/web/sandbox/commands.ts';
import { simulationExamples } from '../../../src/dashboard/web/sandbox/examples.ts';

const EXAMPLES = simulationExamples('experimental').flatMap(([, examples]) => examples);

test('the page has an example of every simulation', () => {
  const names = EXAMPLES.map(({ simulate }) => parseSimulation(simulate).name);
  expect(new Set<string>(names)).toEqual(new Set(SIMULATIONS.keys()));
  expect(names).toHaveLength(SIMULATIONS.size);
});

test('each has the call of a request, and that of the account', () => {
  for (const { simulate } of EXAMPLES) {
    expect(requestWith(simulate, 'http://a/v1')).toContain(`"Petstore-Simulate: ${simulate}"`);
    expect(accountWith(simulate, 'http://a/sandbox')).toContain('PUT http://a/sandbox/simulation');
  }
});

test('the served documents name every fault, and say that error codes are simulations', () => {
  const faults = [...SIMULATIONS.keys()].filter((name) => !Object.hasOwn(ERRORS, name));
  const named = [...SIMULATIONS_IN_WORDS.matchAll(/`([a-z_]+)(?:;[^`]*)?`/g)].map(
    ([, name]) => name,
  );
  expect(faults.filter((name) => !named.includes(name))).toEqual([]);
  for (const [, example = ''] of SIMULATIONS_IN_WORDS.matchAll(/`([a-z_]+;[^`]*)`/g)) {
    expect(example).toStartWith(`${parseSimulation(example).name};`);
  }
});
