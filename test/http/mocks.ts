import assert from 'node:assert/strict';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { DOCUMENTS, type OpenapiDocument, type OperationObject } from './openapi-document.ts';

/*
 * Makes mocks of the committed documents with Prism and Mockoon, which npx downloads, and compares their
 * replies with the examples, which other tests compare with the service: npm run mocks
 */

const PRISM = '@stoplight/prism-cli@5.14.2';
const MOCKOON = '@mockoon/cli@9.9.0';
/** How long a tool may take to be downloaded and to start, in ms. */
const PATIENCE = 300_000;

/** A request to a mock, and the example that must be its reply. */
interface Case {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
  readonly status: string;
  readonly example: string;
  readonly value: unknown;
}

/** A response of a Mockoon route. */
interface MockoonResponse {
  readonly statusCode: number;
  readonly label: string;
  readonly body: string;
}

for (const document of DOCUMENTS) {
  const cases = casesOf(document);
  using folder = temporaryFolder();
  const file = join(folder.path, 'openapi.json');
  await Bun.write(file, JSON.stringify(document));
  await checkPrism(file, cases);
  await checkMockoon(file, folder.path, cases);
  console.log(`${Object.keys(document.paths).join(', ')}: ${cases.length} replies as documented`);
}

function casesOf({ paths }: OpenapiDocument): Case[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      Object.entries(operation.responses).flatMap(([status, { content }]) =>
        Object.entries(content?.['application/json']?.examples ?? {}).map(
          ([example, { value }]) => ({
            ...{ method, path, operation, status, example, value },
          }),
        ),
      ),
    ),
  );
}

async function checkPrism(file: string, cases: readonly Case[]): Promise<void> {
  const port = await freePort();
  const mock = npx(PRISM, 'mock', '--port', String(port), file);
  try {
    const origin = `http://127.0.0.1:${port}`;
    await eventually(() => fetch(origin).then(Boolean, () => false), PATIENCE);
    for (const { method, path, operation, status, example, value } of cases) {
      const body = operation.requestBody?.content['application/json']?.examples?.['typical']?.value;
      const reply = await fetch(origin + path.replace(/\{\w+\}/, '1'), {
        method,
        headers: {
          Authorization: 'Bearer any',
          'Content-Type': 'application/json',
          Prefer: `code=${status}, example=${example}`,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const name = `Prism: ${method} ${path} ${status} ${example}`;
      assert.equal(reply.status, Number(status), name);
      assert.deepEqual(await reply.json(), value, name);
      assert.notEqual(reply.headers.get('Idempotent-Replayed'), 'true', name);
    }
  } finally {
    // npx starts the mock in another process, which would keep running after a signal to npx alone.
    process.kill(-mock.pid);
    await mock.exited;
  }
}

async function checkMockoon(file: string, folder: string, cases: readonly Case[]): Promise<void> {
  const output = join(folder, 'mockoon.json');
  const child = npx(MOCKOON, 'import', '--input', file, '--output', output);
  assert.equal(await child.exited, 0, 'Mockoon imports the document');
  const {
    routes,
  }: { routes: Array<{ method: string; endpoint: string; responses: MockoonResponse[] }> } =
    await Bun.file(output).json();
  for (const { method, path, status, example, value } of cases) {
    const endpoint = path.slice(1).replace(/\{(\w+)\}/, ':$1');
    const route = routes.find((each) => each.method === method && each.endpoint === endpoint);
    const name = `Mockoon: ${method} ${path} ${status} ${example}`;
    const response = route?.responses.find(
      ({ statusCode, label }) => String(statusCode) === status && label === example,
    );
    assert.deepEqual(JSON.parse(response?.body ?? 'null'), value, name);
  }
}

function npx(...command: readonly string[]): Bun.Subprocess {
  return Bun.spawn(['npx', '--yes', ...command], {
    stdout: 'ignore',
    stderr: 'inherit',
    detached: true,
  });
}
