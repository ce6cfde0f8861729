import { describe, expect, test } from 'bun:test';
import { OPERATION_IDS, OPERATIONS } from '../../src/api/all-operations.ts';
import { SCHEMAS, schemaName } from '../../src/api/openapi/schemas.ts';
import { PARTS } from '../../src/config/config.ts';
import { APIS } from '../../src/core/environments.ts';
import { ERRORS } from '../../src/core/errors.ts';
import { PLANS } from '../../src/core/limits/plans.ts';
import { DEPRECATION_HEADERS, EVERY_REPLY_HEADERS, HEADERS } from '../../src/http/headers.ts';
import { TestService } from '../support/harness.ts';

describe('the reference as plain text', () => {
  test('describes every operation with its parameters, reply and errors', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const text = await read(service, '/reference.md', 'text/markdown; charset=utf-8');
    for (const [id, operation] of Object.entries(OPERATIONS)) {
      const section = sectionOf(text, `### ${id}: ${operation.summary}`);
      const base = service.url(addressOf(operation.tag));
      expect(section).toContain(`\`${operation.method} ${base}${operation.path}\``);
      expect(section).toContain(operation.description);
      for (const { name } of operation.parameters) expect(section).toContain(`| \`${name}\` |`);
      const body = operation.body ? schemaName(operation.body) : 'none';
      const isOptional = operation.isBodyOptional ? ', optional' : '';
      expect(section).toContain(`Request body: ${body}${isOptional}.`);
      expect(section).toContain(`Success: ${operation.success.status}, `);
      for (const code of operation.errors) expect(section).toContain(`\`${code}\``);
      expect(section).toContain(operation.deprecation?.note ?? '');
    }
  });

  test('lists the headers of every reply, and those of the deprecated operation', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const text = await read(service, '/reference.md', 'text/markdown; charset=utf-8');
    for (const [id, { summary, deprecation }] of Object.entries(OPERATIONS)) {
      const [, headers] =
        /^Headers of the reply: (.*)$/m.exec(sectionOf(text, `### ${id}: ${summary}`)) ?? [];
      for (const name of EVERY_REPLY_HEADERS) expect(headers).toContain(`\`${name}\``);
      for (const name of deprecation ? DEPRECATION_HEADERS : []) {
        expect(headers).toContain(`\`${name}\``);
      }
    }
  });

  test('describes every field of every schema', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const text = await read(service, '/reference.md', 'text/markdown; charset=utf-8');
    let fields = 0;
    for (const [name, schema] of Object.entries(SCHEMAS)) {
      const section = sectionOf(text, `### ${name}`);
      expect(section).toContain(schema.description);
      for (const field of 'properties' in schema ? Object.keys(schema.properties) : []) {
        expect(section).toContain(`| \`${field}\` |`);
        fields += 1;
      }
    }
    expect(fields).toBeGreaterThan(10);
    expect(sectionOf(text, '### NewPet')).toContain('| `categoryId` | integer (int64) | yes |');
    expect(sectionOf(text, '### PetStatus')).toContain('`available`, `pending`, `sold`');
  });

  test('holds every error code, header and plan', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const text = await read(service, '/reference.md', 'text/markdown; charset=utf-8');
    for (const [code, { status, meaning }] of Object.entries(ERRORS)) {
      expect(text).toContain(`| \`${code}\` | ${status} | ${meaning} |`);
    }
    for (const name of Object.keys(HEADERS)) expect(text).toContain(`| \`${name}\` |`);
    for (const { title } of Object.values(PLANS)) expect(text).toContain(`| ${title} |`);
    for (const name of ['Petstore-Simulate', 'Petstore-Simulated']) {
      expect(text).toContain(`| \`${name}\` |`);
    }
    // Examples contain the address of this service.
    expect(text).toContain(`<${service.url()}/pets?limit=20&after=20>; rel="next"`);
    expect(text).not.toContain('localhost:3000');
    expect(text).toContain('| Business | 1,000 | 100,000 |');
    for (const part of ['production', 'staging', 'quickstart'] as const) {
      expect(text).toContain(`| ${service.url(part)} |`);
    }
  });

  test('has tables whose rows are as wide as their heads', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const text = await read(service, '/reference.md', 'text/markdown; charset=utf-8');
    const tables = text.split('\n\n').filter((block) => block.startsWith('|'));
    expect(tables.length).toBeGreaterThan(8);
    for (const table of tables) {
      const widths = table
        .trimEnd()
        .split('\n')
        .map((row) => row.split(/(?<!\\)\|/).length);
      expect(new Set(widths).size, table).toBe(1);
    }
  });
});

describe('the guide for agents', () => {
  test('names every operation and links to documents that exist', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const text = await read(service, '/llms.txt', 'text/plain; charset=utf-8');
    expect(text).toStartWith('# Petstore\n\n> ');
    for (const [id, { summary }] of Object.entries(OPERATIONS)) {
      expect(text).toContain(`(${id}): ${summary}.`);
    }
    const links = Array.from(text.matchAll(/\]\((http[^)]+)\)/g), ([, link = '']) => link);
    for (const link of links) expect((await fetch(link)).status).toBe(200);
    for (const part of APIS) {
      expect(links).toContain(`${service.url(part)}/openapi.json`);
      expect(links).toContain(`${service.url(part)}/openapi.yaml`);
    }
  });

  test('names the address of the tools, and the command that serves them', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const text = await read(service, '/llms.txt', 'text/plain; charset=utf-8');
    expect(sectionOf(text, '## Tools')).toContain(`${service.dashboardUrl}/mcp (streamable HTTP`);
    const tools = sectionOf(text, '## Tools');
    expect(tools).toContain('`petstore mcp`');
    expect(tools).toContain('`npm run build`');
    // The available tools depend on the key.
    const [ofProduction = '', ofStaging = ''] = tools.split('one of staging');
    expect(ofProduction).not.toContain('`setSimulation`');
    for (const id of OPERATION_IDS) expect(ofStaging).toContain(`\`${id}\``);
  });

  test('holds the fields and parameters that a call needs', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const text = await read(service, '/llms.txt', 'text/plain; charset=utf-8');
    for (const [name, schema] of Object.entries(SCHEMAS)) {
      if (name === 'KnownErrorCode') continue;
      const section = sectionOf(text, `### ${name}`);
      for (const field of Object.keys(schema.properties ?? {})) {
        expect(section).toContain(`| \`${field}\` |`);
      }
    }
    for (const { parameters } of Object.values(OPERATIONS)) {
      for (const { name } of parameters) expect(text).toContain(`- \`${name}\` (`);
    }
    expect(text).toContain('`limit` (query, optional, integer, 1 to 100, default 20)');
  });

  test('holds the codes, the limits and how to page', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const text = await read(service, '/llms.txt', 'text/plain; charset=utf-8');
    for (const [code, { status }] of Object.entries(ERRORS)) {
      expect(sectionOf(text, '## Errors')).toContain(`| \`${code}\` | ${status} |`);
    }
    for (const { title } of Object.values(PLANS)) {
      expect(sectionOf(text, '## Limits')).toContain(`| ${title} |`);
    }
    expect(sectionOf(text, '## Paging')).toContain('rel="next"');
  });

  test('holds a quickstart request that works once the key is filled in', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    const text = await read(service, '/llms.txt', 'text/plain; charset=utf-8');
    const [, command = ''] = /```sh\n([\s\S]*?)\n```/.exec(text) ?? [];
    const child = Bun.spawn(
      [
        'sh',
        '-c',
        command.replace('curl ', 'curl --silent --noproxy "*" ').replace('<API_KEY>', secret),
      ],
      { stdout: 'pipe', stderr: 'inherit' },
    );
    expect(await new Response(child.stdout).json()).toMatchObject({ status: 'queued' });
    expect(await child.exited).toBe(0);
  });
});

async function read(service: TestService, path: string, type: string): Promise<string> {
  const reply = await fetch(service.dashboardUrl + path);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe(type);
  return reply.text();
}

/** The text from this heading to the next. */
function sectionOf(text: string, heading: string): string {
  const [, section] = `\n${text}`.split(`\n${heading}\n`);
  if (section === undefined) throw new Error(`There is no "${heading}".`);
  return section.split(/\n##+ /)[0] ?? '';
}

/** The API of the operations with this tag; production's for operations of both environments. */
function addressOf(tag: string) {
  if (tag === 'Quickstart') return 'quickstart';
  return tag === 'Sandbox' ? 'sandbox' : 'production';
}
