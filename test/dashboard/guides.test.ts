import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { guideFiles } from '../../build/guides.ts';
import { PARTS } from '../../src/config/config.ts';
import { GUIDES } from '../../src/dashboard/reference/guides/guides.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { linkClient } from '../support/linked-client.ts';
import { runTool } from '../support/tools.ts';

const SETTINGS = { PETSTORE_BAN_AFTER: '7', PETSTORE_ANONYMOUS_PER_MINUTE: '54321' };

/** The output of each example of a guide, in order. */
const PRINTED: Readonly<Record<string, ReadonlyArray<RegExp>>> = {
  quickstart: [/"status":"queued"/],
  errors: [/pet_not_found No animal has the id 42\. .* [0-9a-f-]{36}/],
  limits: [/x-ratelimit-remaining: \d+/i, /^200$/m],
  bans: [/"endsAt"[\s\S]*HTTP\/1\.1 429 [\s\S]*api_key_banned[\s\S]*"ban":null/],
  paging: [/^[1-9]\d*$/m],
  idempotency: [/HTTP\/1\.1 201 [\s\S]*idempotent-replayed: true/i],
  'changing-animals': [
    /HTTP\/1\.1 200 [\s\S]*"name":"Crumpet","categoryId":7,"status":"sold"[\s\S]*HTTP\/1\.1 204 /,
    /Biscuit/,
  ],
  'concurrent-changes': [/^200\n412$/m, /Biscuit!/],
  orders: [/"status":"approved"[\s\S]*"status":"delivered"[\s\S]*\[\{"id":\d+,/],
  headers: [],
  deprecation: [/removed on Thu, 05 Dec 2030/, /HTTP\/1\.1 410 [\s\S]*"offsetSeconds":0/],
  stability: [],
  environments: [/invalid_api_key/],
  sandbox: [/^429 \d+\n[\s\S]*^429 [1-3]\n[\s\S]*^503 2\n[\s\S]*^410 /m, /HTTP\/1\.1 503 /],
  agents: [],
  cors: [/^200 \d+$/m],
  'not-included': [],
  'generated-clients': [/^$/, /^true$/m, /Biscuit/],
};

let service: TestService;
let folder: ReturnType<typeof temporaryFolder>;
const keys = { production: '', staging: '' };

beforeAll(async () => {
  service = await TestService.start({ parts: PARTS, settings: SETTINGS });
  folder = temporaryFolder();
  linkClient(folder.path);
  keys.production = (await service.account()).secret;
  keys.staging = (await service.account(undefined, 'staging')).secret;
  await service.post(keys.production, { name: 'Biscuit', categoryId: 7 });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function markdownOf(name: string): Promise<string> {
  const reply = await fetch(`${service.dashboardUrl}/docs/guides/${name}.md`);
  expect(reply.status).toBe(200);
  return reply.text();
}

/** Runs an example with a key of the environment that it uses; returns its output. */
async function run(name: string, language: string, example: string): Promise<string> {
  const sendsToStaging = example.includes(service.url('sandbox'));
  const isOther = ['sandbox', 'cors'].includes(name) && example.includes(service.url('staging'));
  const key = sendsToStaging || isOther ? keys.staging : keys.production;
  const code = example.replaceAll(/YOUR_API_KEY|<API_KEY>/g, key);
  const file = join(folder.path, `example.${language}`);
  await Bun.write(file, language === 'sh' ? `exec 2>&1\n${code}` : code);
  const program = language === 'sh' ? ['bash', '-eu'] : [process.execPath];
  const environment = { NO_PROXY: '*', no_proxy: '*' };
  const shell = ['sh', '-c', '"$@" 2>&1', 'sh', ...program, file];
  return runTool(shell, { cwd: folder.path, environment });
}

describe('every guide', () => {
  test('has its examples tested', () => {
    expect(Object.keys(PRINTED).toSorted()).toEqual(GUIDES.map(({ name }) => name).toSorted());
  });

  test.each(Object.entries(PRINTED))('%s has examples that work', async (name, printed) => {
    const text = await markdownOf(name);
    const blocks = text.matchAll(/^```(sh|js|ts)\n([\s\S]*?)^```$/gm);
    const examples = [...blocks].filter(([, , code = '']) => !code.startsWith('claude '));
    expect(examples).toHaveLength(printed.length);
    for (const [index, [, language = '', code = '']] of examples.entries()) {
      expect(await run(name, language, code)).toMatch(printed[index] ?? '');
    }
  });

  test.each(GUIDES.map(({ name }) => name))('%s leaves no value open', async (name) => {
    const text = await markdownOf(name);
    expect(text).not.toContain('{{');
    expect(text).not.toMatch(/undefined|NaN/);
  });
});

test('a guide about operations that are not served is absent', async () => {
  await using stable = await TestService.start({
    parts: ['dashboard', 'production'],
    settings: { PETSTORE_STABILITY: 'stable' },
  });
  const overview = await (await fetch(`${stable.dashboardUrl}/docs`)).text();
  const llms = await (await fetch(`${stable.dashboardUrl}/llms.txt`)).text();
  for (const name of ['changing-animals', 'concurrent-changes', 'orders']) {
    for (const end of ['', '.md']) {
      const { status } = await fetch(`${stable.dashboardUrl}/docs/guides/${name}${end}`);
      expect([name, status]).toEqual([name, 404]);
    }
    expect(overview.includes(`/docs/guides/${name}`)).toBe(false);
    expect(llms.includes(`/docs/guides/${name}`)).toBe(false);
  }
});

describe('the numbers of the guides', () => {
  test('are those of the service', async () => {
    const bans = await markdownOf('bans');
    expect(bans).toContain(
      '7 more requests with 429 before the window ends ban the key for 5 minutes',
    );
    expect(bans).toContain('24 hours at most');
    const limits = await markdownOf('limits');
    expect(limits).toContain('54,321 in a minute, 10,000,000 on a day');
    expect(limits).toContain('| Business | 1,000 | 100,000 |');
    expect(await markdownOf('paging')).toContain('20 unless `limit` asks for 1 to 100');
    expect(await markdownOf('idempotency')).toContain('24 hours with an animal');
    expect(await markdownOf('deprecation')).toContain('Until 5 December 2030');
    expect(await markdownOf('sandbox')).toContain('forward, 10 years in all at most');
  });
});

describe('the guides in docs/guides', () => {
  test.each([...guideFiles()])('%s is as `npm run guides` writes it', async (name, text) => {
    const file = Bun.file(join(import.meta.dir, '..', '..', 'docs', 'guides', name));
    expect(await file.text()).toBe(text);
  });
});
