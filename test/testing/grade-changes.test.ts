import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { SCENARIOS } from '../../src/grade/scenarios/all.ts';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';
import type { Results } from './grade-results.ts';

const OUR_CLIENT = join(import.meta.dir, '../../examples/grade/petstore-client.ts');
const AGAIN = 'reads-again-after-a-412';
const CONFLICT = 'does-not-repeat-a-conflict';
const CHANGES = [AGAIN, CONFLICT];

/** Grades a program of JavaScript. */
async function gradeProgram(
  program: string,
  options: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<Results & { readonly code: number }> {
  const command = ['grade', '--json', ...options, '--', process.execPath, '-e', program];
  const { code, stdout } = await runCommand(command, variables);
  return { code, ...JSON.parse(stdout) };
}

/** A client of one task: the functions `read` and `change` return replies. */
function changing(work: string): string {
  return `
    const {PETSTORE_URL: url, PETSTORE_KEY: key, PETSTORE_PET_ID: id, PETSTORE_STATUS: status} = process.env;
    const headers = {Authorization: 'Bearer ' + key, 'Content-Type': 'application/json'};
    const read = () => fetch(url + '/pets/' + id, {headers});
    const change = (tag) => fetch(url + '/pets/' + id, {
      method: 'PATCH', headers: {...headers, ...(tag && {'If-Match': tag})}, body: JSON.stringify({status}),
    });
    const tagOf = (reply) => reply.headers.get('ETag');
    const done = (reply) => reply.ok ? console.log(id) : (process.exitCode = 1);
    ${work}
  `;
}

/** A client that knows all tasks but the one of changing an animal, for which it does this. */
function changingElse(work: string): string {
  return `
    if (process.env.PETSTORE_TASK !== 'update-one') await import(${JSON.stringify(OUR_CLIENT)});
    else {${changing(work)}}
  `;
}

/** The first grade of a run of one named scenario. */
async function gradeOf(scenario: string, work: string) {
  const { results } = await gradeProgram(changing(work), ['--only', scenario]);
  return results[0];
}

describe('a client of release 1.0.0, which does not know the task of changing an animal', () => {
  test('passes, with two scenarios skipped and shown as such', async () => {
    using folder = temporaryFolder();
    const [junit, badge] = [join(folder.path, 'junit.xml'), join(folder.path, 'badge.svg')];
    const program = `
      if (process.env.PETSTORE_TASK === 'update-one') throw new Error('unknown task');
      await import(${JSON.stringify(OUR_CLIENT)});
    `;
    const command = ['grade', '--junit', junit, '--badge', badge];

    const { code, stdout } = await runCommand(
      [...command, '--', process.execPath, '-e', program],
      {},
    );

    const judged = SCENARIOS.length - CHANGES.length;
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(`\\n${judged} passed, 0 failed, 0 warned, 2 skipped\\.\\n$`),
      ),
    ]);
    for (const name of CHANGES) expect(stdout).toContain(`\nskipped  ${name}: `);
    expect(stdout).toContain(
      '        Seen: It sent no PATCH: it does not know the task. It ended with exit code 1.\n',
    );
    const xml = await Bun.file(junit).text();
    expect(xml).toContain(' failures="0" errors="0" skipped="2" ');
    expect(xml.match(/<skipped message="It sent no PATCH: /g)).toHaveLength(2);
    expect(await Bun.file(badge).text()).toContain(`petstore grade: ${judged}/${judged} passed`);
  });

  test.each([
    ['ends without a word', ''],
    ['reads an animal instead', 'await read(); console.log(id);'],
    [
      'adds an animal instead',
      `const reply = await fetch(url + '/pets', {method: 'POST', headers, body: '{"name":"Rex","categoryId":7}'});
       console.log((await reply.json()).id);`,
    ],
  ])('is skipped as well if it %s, and failed where the scenario is named', async (_, work) => {
    const all = await gradeProgram(changingElse(work));
    const marks = new Map(all.results.map(({ name, mark }) => [name, mark]));
    expect(CHANGES.map((name) => marks.get(name))).toEqual(['skipped', 'skipped']);
    expect(all.skipped).toBe(2);

    const named = await gradeProgram(changing(work), ['--only', CHANGES.join(',')]);
    expect(named).toMatchObject({ code: 1, failed: 2, skipped: 0 });
    expect(named.results[0]?.seen).toStartWith('It sent no PATCH: it does not know the task.');
  });
});

describe('a change of an animal that somebody else has changed', () => {
  test('passes where it is read again', async () => {
    const work = `
      let reply = await change(tagOf(await read()));
      if (reply.status === 412) reply = await change(tagOf(await read()));
      done(reply);
    `;
    expect(await gradeOf(AGAIN, work)).toMatchObject({
      mark: 'passed',
      seen: 'It sent the change 2 times, and read in between.',
    });
  });

  test.each([
    ['failed', 'without If-Match', 'done(await change());'],
    [
      'failed',
      'without reading the animal',
      'const tag = tagOf(await read()); await change(tag); done(await change());',
    ],
    [
      'failed',
      'without reading the animal',
      'const tag = tagOf(await read()); await change(tag); done(await change(tag));',
    ],
    [
      'failed',
      'did not send the change again',
      'await change(tagOf(await read())); console.log(id);',
    ],
    ['warned', 'did not send the change again', 'done(await change(tagOf(await read())));'],
    [
      'failed',
      'sent the change 2 times',
      'await change(tagOf(await read())); await read(); await change(\'"x"\'); console.log(id);',
    ],
    [
      'failed',
      'It printed 0 lines where 1 id was expected',
      'await change(tagOf(await read())); await change(tagOf(await read()));',
    ],
  ])('is %s with the words "%s"', async (mark, seen, work) => {
    expect(await gradeOf(AGAIN, work)).toMatchObject({ mark, seen: expect.stringContaining(seen) });
  });
});

describe('a change that is refused with a conflict', () => {
  test.each([
    ['passed', 'It sent the change 1 time.', 'done(await change(tagOf(await read())));'],
    ['failed', 'It sent the change 2 times.', 'await change(); done(await change());'],
    ['failed', 'It ended with exit code 0.', 'await change();'],
  ])('is %s with the words "%s"', async (mark, seen, work) => {
    expect(await gradeOf(CONFLICT, work)).toMatchObject({
      mark,
      seen: expect.stringContaining(seen),
    });
  });
});

test('where the service has only stable operations, the scenarios of others are skipped', async () => {
  const stable = { PETSTORE_STABILITY: 'stable' };
  const { results } = await gradeProgram(changingElse('done(await change());'), [], stable);
  const ofChanges = results.filter(({ name }) => CHANGES.includes(name));
  expect(ofChanges).toHaveLength(2);
  for (const { mark, seen } of ofChanges) {
    expect([mark, seen]).toEqual(['skipped', 'The service serves no beta operations.']);
  }
});
