import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { OPERATION_IDS, OPERATIONS, type OperationId } from '../../src/api/operations.ts';
import { sampleCall } from '../../src/api/samples/sample-call.ts';
import { type SampleLanguage, samplesOf } from '../../src/api/samples/samples.ts';
import { typescriptSample } from '../../src/api/samples/typescript.ts';
import { PARTS } from '../../src/config/config.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { linkClient } from '../support/linked-client.ts';
import { runTool } from '../support/tools.ts';
import { operationOf } from './openapi-document.ts';

const ROOT = join(import.meta.dir, '..', '..');
const ENVIRONMENT = { NO_PROXY: '*', no_proxy: '*' };

/** Separates the outputs of two samples. */
const SEPARATOR = '\x1e';

/** 2^53 + 1: the first integer that a double cannot hold. */
const LARGE = '9007199254740993';

/** A part of the output of each operation's sample, in every language; `beforeAll` adds what the samples read. */
const SHOWN: Readonly<Record<OperationId, RegExp>> = {
  listPets: new RegExp(LARGE),
  createPet: /Biscuit/,
  getPet: new RegExp(LARGE),
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
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** The sample of each operation in a language, with the addresses of the service and real keys. */
function samplesIn(language: SampleLanguage): Array<readonly [OperationId, string]> {
  return OPERATION_IDS.map((id) => {
    const { api } = operationOf(id);
    const key = api === 'sandbox' ? keys.staging : keys.production;
    const samples = samplesOf(OPERATIONS[id], service.url(api));
    const code = samples.find((sample) => sample.language === language)?.code ?? '';
    return [id, code.replace('YOUR_API_KEY', key)];
  });
}

/** Writes the samples of a language to a new folder; returns the folder. */
async function writeSamples(
  language: SampleLanguage,
  fileOf: (id: OperationId) => string,
  change = (code: string, _id: OperationId) => code,
): Promise<string> {
  const path = join(folder.path, language);
  for (const [id, code] of samplesIn(language)) {
    await Bun.write(join(path, fileOf(id)), `${change(code, id)}\n`);
  }
  return path;
}

async function expectOutputs(output: string) {
  const outputs = output.split(SEPARATOR).slice(1);
  expect(outputs).toHaveLength(OPERATION_IDS.length);
  for (const [index, id] of OPERATION_IDS.entries()) {
    expect([id, outputs[index]]).toEqual([id, expect.stringMatching(SHOWN[id])]);
  }
}

describe('the samples of every operation', () => {
  test('work in curl', async () => {
    const outputs: string[] = [];
    for (const [id, code] of samplesIn('curl')) {
      const output = await runTool(['sh', '-ec', code], {
        cwd: folder.path,
        environment: ENVIRONMENT,
      });
      expect([id, output]).toEqual([
        id,
        expect.stringContaining(`HTTP/1.1 ${OPERATIONS[id].success.status} `),
      ]);
      outputs.push(SEPARATOR, output);
    }
    await expectOutputs(outputs.join(''));
  });

  test.each(['javascript', 'typescript'] as const)('work in %s', async (language) => {
    const names = (id: OperationId) => `${id}.${language === 'typescript' ? 'ts' : 'mjs'}`;
    const path = await writeSamples(language, names);
    linkClient(path);
    const runner = OPERATION_IDS.map(
      (id) => `process.stdout.write('\\x1e'); await import('./${names(id)}');`,
    );
    await Bun.write(join(path, 'run.mjs'), runner.join('\n'));
    const options = { cwd: path, environment: ENVIRONMENT };
    await expectOutputs(await runTool([process.execPath, 'run.mjs'], options));
    if (language === 'javascript') return;
    const call = sampleCall({ ...OPERATIONS.getPet, id: 'unknown' }, service.url());
    await Bun.write(join(path, 'without-client.ts'), typescriptSample(call));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    await Bun.write(join(path, 'tsconfig.json'), JSON.stringify(TYPESCRIPT_OPTIONS));
    await runTool([process.execPath, compiler, '-p', '.'], options);
  });

  test.skipIf(!Bun.which('python3'))('work in Python', async () => {
    const path = await writeSamples('python', (id) => `${id}.py`);
    const runner = [
      'import runpy',
      ...OPERATION_IDS.map((id) => `print("\\x1e", end=""); runpy.run_path("${id}.py")`),
    ];
    await Bun.write(join(path, 'run.py'), runner.join('\n'));
    await expectOutputs(
      await runTool(['python3', 'run.py'], { cwd: path, environment: ENVIRONMENT }),
    );
  });

  // One program for all samples, because linking takes the most time.
  test.skipIf(!Bun.which('go'))('work in Go, formatted as gofmt does', async () => {
    const nameOf = (id: OperationId) => id.toLowerCase();
    const path = await writeSamples(
      'go',
      (id) => `${nameOf(id)}/main.go`,
      (code, id) =>
        code.replace('package main', `package ${nameOf(id)}`).replace('func main', 'func Main'),
    );
    const packages = OPERATION_IDS.map(nameOf);
    await Bun.write(join(path, 'go.mod'), 'module samples\n\ngo 1.24\n');
    await Bun.write(
      join(path, 'main.go'),
      [
        'package main',
        `import (\n"fmt"\n${packages.map((name) => `"samples/${name}"`).join('\n')}\n)`,
        `func main() {\n${packages.map((name) => `fmt.Print("\\x1e")\n${name}.Main()`).join('\n')}\n}`,
      ].join('\n'),
    );
    // The standard library is compiled as well, unless this machine has done so: without optimizing it.
    const go = { GOFLAGS: '-mod=mod', CGO_ENABLED: '0', GOGC: '400' };
    const options = { cwd: path, environment: { ...ENVIRONMENT, ...go } };
    await expectOutputs(await runTool(['go', 'run', '-gcflags=all=-N -l', '.'], options));
    expect(await runTool(['gofmt', '-l', ...packages], options)).toBe('');
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

const TYPESCRIPT_OPTIONS = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, target: 'esnext', module: 'esnext', types: [] },
    moduleDetection: 'force',
    ...{ moduleResolution: 'bundler', lib: ['esnext', 'dom'], allowImportingTsExtensions: true },
  },
  include: ['*.ts'],
};
