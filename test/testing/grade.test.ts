import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SCENARIOS } from '../../src/grade/scenarios/all.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { runCommand, startCommand } from '../support/process.ts';
import type { Results } from './grade-results.ts';

const OUR_CLIENT = join(import.meta.dir, '../../examples/grade/petstore-client.ts');
const BAD_CLIENT = join(import.meta.dir, 'bad-client.ts');

/** Grades a program that runs in Bun. */
async function gradeProgram(program: readonly string[], ...options: readonly string[]) {
  using folder = temporaryFolder();
  const command = ['grade', ...options, '--', process.execPath, ...program];
  const result = await runCommand(command, { TMPDIR: folder.path });
  expect(readdirSync(folder.path)).toEqual([]);
  return result;
}

test('the client of this project passes every scenario', async () => {
  const { code, stdout } = await gradeProgram([OUR_CLIENT], '--json');
  const { results, ...counts }: Results = JSON.parse(stdout);
  expect(results.filter(({ mark }) => mark !== 'passed')).toEqual([]);
  expect(counts).toEqual({ passed: SCENARIOS.length, failed: 0, warned: 0, skipped: 0 });
  expect(code).toBe(0);
});

test('a client with every fault passes no scenario', async () => {
  const { code, stdout } = await gradeProgram([BAD_CLIENT], '--json');
  const { results }: Results = JSON.parse(stdout);
  const marks = Object.fromEntries(results.map(({ name, mark }) => [name, mark]));
  const expected = SCENARIOS.map(({ name }) => [name, 'failed']);
  expect(marks).toEqual({ ...Object.fromEntries(expected), 'warns-of-deprecation': 'warned' });
  expect(code).toBe(1);
});

test('a client that builds the addresses of pages instead of following Link is warned', async () => {
  const program = `
    const {PETSTORE_URL: url, PETSTORE_KEY: key} = process.env;
    for (let after = 0, page = []; after === 0 || page.length === 100; after = page.at(-1).id) {
      const address = url + '/pets?limit=100&after=' + after;
      const reply = await fetch(address, {headers: {Authorization: 'Bearer ' + key}});
      page = await reply.json();
      for (const {id} of page) console.log(id);
    }
  `;
  const { code, stdout } = await gradeProgram(['-e', program], '--only', 'follows-links', '--json');
  const { results }: Results = JSON.parse(stdout);
  expect([code, results[0]]).toMatchObject([
    0,
    { mark: 'warned', seen: 'It asked for /v1/pets?limit=100&after=100, where no Link led.' },
  ]);
});

test('a failure shows what was expected, what was seen, the standard and the requests', async () => {
  const { code, stdout } = await gradeProgram([BAD_CLIENT], '--only', 'accepts-a-ban');
  expect(code).toBe(1);
  expect(stdout).toStartWith('failed  accepts-a-ban: ');
  expect(stdout).toContain('Expected: The first request is answered 429 api_key_banned');
  expect(stdout).toContain('Seen: It sent 40 requests. It ended with exit code 1.');
  expect(stdout).toContain('Standard: RFC 6585, 4; RFC 9110, 10.2.3');
  expect(stdout).toMatch(/\d\.\d\d s {2}GET \/v1\/pets\?limit=100 → 429, Retry-After: 300\n/);
  expect(stdout).toContain('… and 28 more');
  expect(stdout).toEndWith('0 passed, 1 failed, 0 warned.\n');
});

test('results are written as JUnit XML and as a badge', async () => {
  using folder = temporaryFolder();
  const [junit, badge] = [join(folder.path, 'junit.xml'), join(folder.path, 'badge.svg')];
  const names = 'reads-int64,warns-of-deprecation,follows-links';
  const options = ['--only', names, '--junit', junit, '--badge', badge];
  const { code } = await gradeProgram([BAD_CLIENT], ...options);
  expect(code).toBe(1);
  const xml = await Bun.file(junit).text();
  expect(xml).toContain('<testsuite name="petstore grade" tests="3" failures="2" errors="0"');
  expect(xml.match(/<testcase /g)).toHaveLength(3);
  expect(xml).toContain('name="reads-int64: keeps 2^53 + 1 when it reads it"');
  expect(xml).toContain('&quot;9007199254740992&quot;');
  expect(xml).toContain('<system-out>Warning: Standard error does not mention it.');
  expect(await Bun.file(badge).text()).toContain('aria-label="petstore grade: 2 failed"');
});

test('a client that waits for the end of a ban is ended, with all that it started', async () => {
  using folder = temporaryFolder();
  const pidFile = join(folder.path, 'pid');
  const program = `
    const {PETSTORE_URL: url, PETSTORE_KEY: key} = process.env;
    const child = Bun.spawn(['sleep', '600'], {stdin: 'ignore'});
    await Bun.write(${JSON.stringify(pidFile)}, String(child.pid));
    await fetch(url + '/pets', {headers: {Authorization: 'Bearer ' + key}});
    await child.exited;
  `;
  const { code, stdout } = await gradeProgram(['-e', program], '--only', 'accepts-a-ban', '--json');
  const { results }: Results = JSON.parse(stdout);
  expect([code, results[0]?.seen]).toEqual([
    0,
    'It sent 1 request. It was still running when its time was up.',
  ]);
  await eventually(async () => !isRunning(Number(await Bun.file(pidFile).text())));
});

test('a signal ends the client and the service, and leaves nothing behind', async () => {
  using folder = temporaryFolder();
  using temporary = temporaryFolder();
  const pidFile = join(folder.path, 'pid');
  const program = `
    await Bun.write(${JSON.stringify(pidFile)}, String(process.pid));
    setInterval(() => {}, 1000);
  `;
  const grading = startCommand(['grade', '--', process.execPath, '-e', program], {
    TMPDIR: temporary.path,
  });
  await eventually(async () =>
    /\d/.test(
      await Bun.file(pidFile)
        .text()
        .catch(() => ''),
    ),
  );
  grading.kill('SIGTERM');
  expect(await grading.exited).toBe(143);
  await eventually(async () => !isRunning(Number(await Bun.file(pidFile).text())));
  expect(readdirSync(temporary.path)).toEqual([]);
});

test('a scenario that does not exist is wrong usage, and all that do are named', async () => {
  const { code, stderr } = await runCommand(['grade', '--only', 'reads-int64,nope', '--', 'x'], {});
  expect(code).toBe(2);
  expect(stderr).toContain('There is no scenario "nope".');
  for (const { name } of SCENARIOS) expect(stderr).toContain(name);
});

test('the help names every scenario, and shows nothing else of them', async () => {
  const { stdout } = await runCommand(['grade', '--help'], {});
  for (const { name } of SCENARIOS) expect(stdout).toContain(`\n  ${name}\n`);
  expect(stdout).toContain('(default: all)');
  expect(stdout).not.toContain('"expected"');
});

test('grade without a client is wrong usage, and says which client it cannot find', async () => {
  const missing = await runCommand(['grade'], {});
  expect([missing.code, missing.stderr]).toEqual([
    2,
    expect.stringContaining("missing required argument 'command'"),
  ]);
  const unknown = await runCommand(['grade', '--', 'no-such-command'], {});
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    'petstore: Cannot run no-such-command. Is it installed?\n',
  ]);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
