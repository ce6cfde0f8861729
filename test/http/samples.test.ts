import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { OPERATION_IDS, OPERATIONS } from '../../src/api/all-operations.ts';
import type { OperationId } from '../../src/api/operations.ts';
import { initialRequest } from '../../src/api/samples/form-request.ts';
import { sampleCall } from '../../src/api/samples/sample-call.ts';
import { SAMPLE_LANGUAGES, type SampleLanguage, samplesOf } from '../../src/api/samples/samples.ts';
import { typescriptSample } from '../../src/api/samples/typescript.ts';
import { PARTS } from '../../src/config/config.ts';
import { ordersOf } from '../api/orders/order-scene.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { lacking, outputsBefore22, outputsOf } from '../support/sample-programs.ts';
import { operationOf } from './openapi-document.ts';

/** 2^53 + 1: the first integer that a double cannot hold. */
const LARGE = '9007199254740993';

/** A part of the output of each operation's sample, in every language; `beforeAll` adds what the samples read. */
const SHOWN: Readonly<Record<OperationId, RegExp>> = {
  listPets: new RegExp(LARGE),
  createPet: /Biscuit/,
  getPet: new RegExp(LARGE),
  updatePet: /pending/,
  deletePet: /204|Deleted/,
  listOrders: /delivered/,
  createOrder: /placed/,
  getOrder: /delivered/,
  updateOrder: /approved/,
  sendMessage: /queued/,
  getSandbox: /offsetSeconds\W+0\b/,
  advanceClock: /offsetSeconds\W+3600\b/,
  setUsage: /minute/,
  banKey: /endsAt/,
  liftBan: /ban\W+(null|None|<nil>)/,
  setSimulation: /remaining\W+2\b/,
  endSimulation: /simulation\W+(null|None|<nil>)/,
  resetSandbox: /offsetSeconds\W+0\b/,
};

let service: TestService;
let folder: ReturnType<typeof temporaryFolder>;
const keys = { production: '', staging: '' };

beforeAll(async () => {
  service = await TestService.start({ parts: PARTS });
  folder = temporaryFolder();
  keys.production = (await service.account()).secret;
  keys.staging = (await service.account(undefined, 'staging')).secret;
  await service.post(keys.production, `{"name":"Rex","categoryId":${LARGE}}`);
  const orders = ordersOf(service, keys.production);
  await orders.create(await addPet());
  for (const status of ['approved', 'delivered']) await orders.update(1, status);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function addPet(): Promise<number> {
  const added = await service.post(keys.production, { name: 'Tom', categoryId: 7 });
  return (await added.json()).id;
}

/** The sample of each operation in a language, with the addresses of the service, real keys, and what it changes. */
async function samplesIn(
  language: SampleLanguage,
): Promise<ReadonlyArray<readonly [OperationId, string]>> {
  const placed = await ordersOf(service, keys.production).create(await addPet());
  const changed: Partial<Record<OperationId, number>> = {
    updatePet: await addPet(),
    deletePet: await addPet(),
    createOrder: await addPet(),
    updateOrder: (await placed.json()).id,
  };
  return OPERATION_IDS.map((id) => {
    const samples = samplesOf(OPERATIONS[id], service.url(operationOf(id).api));
    const code = samples.find((sample) => sample.language === language)?.code ?? '';
    const key = operationOf(id).api === 'sandbox' ? keys.staging : keys.production;
    const own = changed[id] ?? 1;
    const place = /(\/pets\/|\/orders\/|Pet\(|updateOrder\(|petId\W+)1\b/;
    return [id, code.replace('YOUR_API_KEY', key).replace(place, `$1${own}`)];
  });
}

describe('the samples of every operation', () => {
  for (const language of SAMPLE_LANGUAGES) {
    const reason = lacking(language);
    test.skipIf(reason !== undefined)(`work in ${reason ?? language}`, async () => {
      const outputs = await outputsOf(language, await samplesIn(language), folder.path);
      expect(outputs).toHaveLength(OPERATION_IDS.length);
      for (const [index, id] of OPERATION_IDS.entries()) {
        expect([id, outputs[index]]).toEqual([id, expect.stringMatching(SHOWN[id])]);
        if (language !== 'curl') continue;
        expect(outputs[index]).toStartWith(`HTTP/1.1 ${OPERATIONS[id].success.status} `);
      }
    });
  }

  test('run before Node.js 22, too, where large integers are rounded', async () => {
    const outputs = await outputsBefore22(
      await samplesIn('javascript'),
      `${folder.path}/before-22`,
    );
    for (const [index, id] of OPERATION_IDS.entries()) {
      const rounded = SHOWN[id].source === LARGE ? /9007199254740992/ : SHOWN[id];
      expect([id, outputs[index]]).toEqual([id, expect.stringMatching(rounded)]);
    }
    const samples = samplesOf(OPERATIONS.listPets, service.url());
    const note = samples.find(({ language }) => language === 'javascript')?.note;
    expect(note).toContain('exact from Node.js 22 on');
  });

  test('have valid types also where the client has no such call', async () => {
    const request = { ...initialRequest(OPERATIONS.getPet, service.url()), operationId: 'unknown' };
    const code = typescriptSample(sampleCall(request, keys.production));
    const [output] = await outputsOf('typescript', [['unknown', code]], `${folder.path}/unknown`);
    expect(output).toMatch(LARGE);
  });
});

describe('a sample', () => {
  test('of a creation has an Idempotency-Key of its own where a program sends it', () => {
    const creations = samplesOf(OPERATIONS.createPet, 'http://localhost/v1');
    const texts = creations.map(({ language, code }) => [language, code] as const);
    for (const [language, code] of texts) {
      const isExpected = ['javascript', 'python', 'go'].includes(language);
      expect([language, code.includes('Idempotency-Key')]).toEqual([language, isExpected]);
    }
  });

  test('has the placeholder where the key belongs, once', () => {
    for (const id of OPERATION_IDS) {
      for (const { code } of samplesOf(OPERATIONS[id], 'http://localhost/v1')) {
        expect(code.split('YOUR_API_KEY')).toHaveLength(2);
      }
    }
  });
});
