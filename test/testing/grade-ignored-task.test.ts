import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { SCENARIOS } from '../../src/grade/scenarios/all.ts';
import { TASKS } from '../../src/grade/tasks.ts';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';
import type { Results } from './grade-results.ts';

const OUR_CLIENT = join(import.meta.dir, '../../examples/grade/petstore-client.ts');

/** Grades a program of JavaScript, which has functions to send requests. */
function gradeProgram(work: string, ...options: readonly string[]) {
  const program = `
    const {PETSTORE_URL: url, PETSTORE_KEY: key, PETSTORE_TASK: task} = process.env;
    const headers = {Authorization: 'Bearer ' + key, 'Content-Type': 'application/json'};
    const wait = (reply) => Bun.sleep(1000 * Number(reply.headers.get('Retry-After')));
    const send = async (path, init) => {
      const reply = await fetch(url + path, {...init, headers});
      if (reply.status < 429) return reply;
      await wait(reply);
      return send(path, init);
    };
    const create = () => send('/pets', {method: 'POST', body: '{"name":"Rex","categoryId":7}'});
    ${work}
  `;
  return runCommand(['grade', ...options, '--', process.execPath, '-e', program], {});
}

const LIST_ALL = `
  for (let path = '/pets?limit=100'; path;) {
    const page = await send(path);
    for (const {id} of await page.json()) console.log(id);
    path = /<[^>]*(\\/pets[^>]*)>; rel="next"/.exec(page.headers.get('Link') ?? '')?.[1];
  }
`;

describe('a program that does not do its task', () => {
  test.each([
    ['does nothing', '', 'it sent no request'],
    ['crashes', 'throw new Error("no configuration");', 'it sent no request'],
    ['talks to another operation', "await send('/animals');", 'it sent no GET /pets'],
    [
      'always creates an animal',
      'console.log((await (await create()).json()).id);',
      'it sent no GET /pets',
    ],
    [
      'does a bit of everything',
      "await send('/pets'); await create();",
      'it sent a POST, although it should only read',
    ],
    [
      'prints the list as it comes',
      "console.log(await (await send('/pets')).text());",
      'it printed no id',
    ],
    ['prints words', "await send('/pets'); console.log('OK');", 'it printed no id'],
    ['prints nothing', "await send('/pets');", 'it printed no id'],
  ])('and %s stops at its first failure, with the page to read', async (_, work, reason) => {
    const { code, stdout, stderr } = await gradeProgram(work);
    expect(code).toBe(1);
    expect(stdout).toStartWith('failed  waits-after-429: ');
    expect(stdout).toEndWith('\n0 passed, 1 failed, 0 warned.\n');
    expect(stderr).toContain(`The program did not do its task, list-all: ${reason}. `);
    expect(stderr).toContain(`The other ${SCENARIOS.length - 1} scenarios were not run.`);
    expect(stderr).toContain('PETSTORE_TASK');
    expect(stderr).toContain('Read docs/grade.md, or the tasks in grade --help.');
  });

  test('stops where another task begins, if it always lists', async () => {
    using folder = temporaryFolder();
    const junit = join(folder.path, 'junit.xml');
    const only = 'waits-after-503,reads-int64,writes-int64,follows-links';
    const options = ['--only', only, '--json', '--junit', junit];
    const { code, stdout, stderr } = await gradeProgram(LIST_ALL, ...options);
    const { results }: Results = JSON.parse(stdout);
    expect([code, results.map(({ name }) => name)]).toEqual([
      1,
      ['waits-after-503', 'reads-int64', 'writes-int64'],
    ]);
    expect(stderr).toContain('its task, create-one: it sent no POST /pets. The other 1');
    expect((await Bun.file(junit).text()).match(/<testcase /g)).toHaveLength(3);
  });

  test.each([
    ['warns-of-deprecation', LIST_ALL, 'get-one: it sent no GET /pets/{petId}.'],
    ['keeps-clear-of-a-ban', LIST_ALL, 'create-many: it sent no POST /pets.'],
  ])('is told so in %s as well', async (scenario, work, told) => {
    const { code, stderr } = await gradeProgram(work, '--only', scenario);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`did not do its task, ${told} It`)]);
  });
});

describe('a client that tries its task', () => {
  test.each([
    ['does not wait', "if (!(await fetch(url + '/pets', {headers})).ok) process.exit(1);"],
    ['hides the failure', "await fetch(url + '/pets', {headers});"],
    [
      'prints a part of the ids',
      "for (const {id} of await (await send('/pets')).json()) console.log(id);",
    ],
    ['prints other lines as well', `console.log('listing'); ${LIST_ALL}`],
    ['rounds ids', `console.log(1e20); ${LIST_ALL}`],
  ])('and %s is graded in the other scenarios, too', async (_, work) => {
    const names = ['waits-after-429', 'reads-int64'];
    const { stdout } = await gradeProgram(work, '--json', '--only', names.join(','));
    const { results }: Results = JSON.parse(stdout);
    expect(results.map(({ name }) => name)).toEqual(names);
    expect(results[0]?.mark).toBe('failed');
  });
});

test('the help and the page about grading name every task', async () => {
  const { stdout } = await runCommand(['grade', '--help'], {});
  const page = await Bun.file(join(import.meta.dir, '../../docs/grade.md')).text();
  expect(stdout).toContain('PETSTORE_TASK');
  for (const [name, { does }] of Object.entries(TASKS)) {
    expect(stdout).toMatch(
      new RegExp(`\\n {2}${name} +${does.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\n`),
    );
    expect(page).toMatch(new RegExp(`\\| \`${name}\`: `));
  }
  const source = await Bun.file(OUR_CLIENT).text();
  for (const name of Object.keys(TASKS)) expect(source).toContain(`'${name}'`);
});
