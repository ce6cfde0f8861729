import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { type CommandResult, PROGRAM, runCommand, startCommand } from '../support/process.ts';

/** A program that calls the service that it was started with, and prints the replies as JSON. */
const CALL = `
  const {PETSTORE_URL: url, PETSTORE_KEY: key} = process.env;
  const reply = await fetch(url + '/pets', {headers: {Authorization: 'Bearer ' + key}});
  console.log(JSON.stringify({status: reply.status, pets: await reply.text()}));
`;

/** Runs a program with its own service, whose temporary files are created in this folder. */
function runProgram(
  program: string,
  options: { readonly folder: string; readonly args?: readonly string[] },
): Promise<CommandResult> {
  const { folder, args = [] } = options;
  return runCommand(['run', ...args, '--', process.execPath, '-e', program], { TMPDIR: folder });
}

test('run gives a command the addresses and keys of a service of its own', async () => {
  using folder = temporaryFolder();
  const { code, stdout } = await runProgram(CALL, { folder: folder.path });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ status: 200, pets: '[]' });
  expect(readdirSync(folder.path)).toEqual([]);
});

test('run gives a key for staging, and the addresses of staging and the quickstart', async () => {
  using folder = temporaryFolder();
  const program = `
    const {PETSTORE_STAGING_URL, PETSTORE_STAGING_KEY, PETSTORE_QUICKSTART_URL} = process.env;
    const headers = {Authorization: 'Bearer ' + PETSTORE_STAGING_KEY, 'Content-Type': 'application/json'};
    const list = await fetch(PETSTORE_STAGING_URL + '/pets', {headers});
    const body = JSON.stringify({message: 'hi'});
    const message = await fetch(PETSTORE_QUICKSTART_URL + '/messages', {method: 'POST', headers, body});
    console.log(list.status, message.status);
  `;
  const { stdout } = await runProgram(program, { folder: folder.path });
  expect(stdout).toBe('200 202\n');
});

test('run passes on the exit code of the command', async () => {
  using folder = temporaryFolder();
  const { code } = await runProgram('process.exit(7)', { folder: folder.path });
  expect(code).toBe(7);
});

test('run ignores the settings of a service that stays', async () => {
  using folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const { code, stdout } = await runCommand(['run', '--', process.execPath, '-e', CALL], {
    TMPDIR: folder.path,
    PETSTORE_DATA_DIR: data,
    PETSTORE_BASE_URL: 'https://api.example.com/v1',
    PETSTORE_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    // The test would not end in time.
    PETSTORE_DRAIN_SECONDS: '600',
    // Of the package for tests.
    PETSTORE_EXECUTABLE: '/usr/local/bin/petstore',
  });
  expect([code, JSON.parse(stdout).status]).toEqual([0, 200]);
  expect(readdirSync(folder.path)).toEqual([]);
});

test('run leaves the variables of OpenTelemetry to the command', async () => {
  using folder = temporaryFolder();
  const tracing = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  };
  const program = `
    const given = Object.entries(process.env).filter(([name]) => name.startsWith('OTEL_'));
    console.log(JSON.stringify(Object.fromEntries(given)));
  `;
  const { code, stdout } = await runCommand(['run', '--', process.execPath, '-e', program], {
    TMPDIR: folder.path,
    ...tracing,
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(tracing);
});

test('run says what to do where the folder for temporary files is missing', async () => {
  using folder = temporaryFolder();
  const missing = join(folder.path, 'missing');
  const { code, stderr } = await runCommand(['run', '--', 'true'], { TMPDIR: missing });
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(
      /^petstore: Cannot make a folder in .+: .+ set TMPDIR to another folder\.\n$/,
    ),
  ]);
});

test('commands work inside of run, with its variables in their environment', async () => {
  using folder = temporaryFolder();
  const { code, stdout } = await runCommand(['run', '--', ...PROGRAM, 'openapi', '--help'], {
    TMPDIR: folder.path,
  });
  expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: petstore openapi')]);
});

test('run passes SIGTERM on to the command, and leaves nothing behind', async () => {
  using folder = temporaryFolder();
  const started = join(folder.path, 'started');
  const program = `
    process.on('SIGTERM', () => process.exit(5));
    require('node:fs').writeFileSync(${JSON.stringify(started)}, '');
    setInterval(() => {}, 1000);
  `;
  const child = startCommand(['run', '--', process.execPath, '-e', program], {
    TMPDIR: folder.path,
  });
  await eventually(() => Bun.file(started).exists());
  child.kill('SIGTERM');
  expect(await child.exited).toBe(5);
  expect(readdirSync(folder.path)).toEqual(['started']);
});

test('run that receives a signal while its service starts leaves nothing behind', async () => {
  using folder = temporaryFolder();
  const child = startCommand(['run', '--', process.execPath, '-e', 'setInterval(() => {}, 1000)'], {
    TMPDIR: folder.path,
  });
  await eventually(() => readdirSync(folder.path).length > 0, undefined, 1);
  child.kill('SIGTERM');
  expect(await child.exited).toBe(143);
  expect(readdirSync(folder.path)).toEqual([]);
});

test('run says which command it cannot find', async () => {
  using folder = temporaryFolder();
  const { code, stderr } = await runCommand(['run', '--', 'no-such-command'], {
    TMPDIR: folder.path,
  });
  expect([code, stderr]).toEqual([1, 'petstore: Cannot run no-such-command. Is it installed?\n']);
  expect(readdirSync(folder.path)).toEqual([]);
});

test('run without a command is wrong usage', async () => {
  const { code, stderr } = await runCommand(['run'], {});
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("missing required argument 'command'"),
  ]);
});
