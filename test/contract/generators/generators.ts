import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the generators' programs and of the packages that they share. */
export const HERE = import.meta.dir;

/** The documents that clients are generated from: names of their files and packages. */
export const DOCUMENTS = ['pets', 'messages'] as const;

const OAPI_CODEGEN_VERSION = '2.8.2';

/** The words of a command; in commands that run for each document, `{document}` is its name. */
type Command = readonly string[];

/** A generator of clients, its commands, and notes for its users. */
export interface Generator {
  /** Its folder below `programs`, and its name on the command line. */
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** The commands that must be installed, for example to install packages. */
  readonly needs: readonly string[];
  /** Runs for each document, in the folder of its file and of the program. */
  readonly generate: Command;
  /** Commands that fail if the code does not compile. */
  readonly compile: readonly Command[];
  readonly run: Command;
  /** How the client reports an error. */
  readonly errors: string;
  /** The means to get exact integers beyond 2^53 where this is not the default. */
  readonly exactIntegers?: string;
  /** Required settings and notes. */
  readonly settings: string;
}

const LOSSLESS = 'the text of the reply, parsed with `lossless-json`';

const PYTHON_COMPILE = ['python', '-m', 'compileall', '-q', 'pets', 'messages', 'scenario.py'];
const TYPESCRIPT_COMPILE = ['tsc', '--project', '.'];
const TYPESCRIPT_RUN = [process.execPath, 'scenario.ts'];
const GO_COMPILE = ['go', 'build', '-o', 'scenario', '.'];

export const GENERATORS: readonly Generator[] = [
  openapiGenerator('python', {
    needs: [],
    options: ['--package-name', '{document}'],
    compile: [PYTHON_COMPILE],
    run: ['python', 'scenario.py'],
    errors:
      '`UnauthorizedException`, `NotFoundException`, for 429 `ApiException`; `data` is the `Error`',
    settings:
      '`retries=False`, unless a call may wait: urllib3 waits for `Retry-After` of 429 and 503 by itself, and repeats the request.',
  }),
  openapiGenerator('go', {
    needs: ['go'],
    options: [
      ...['--package-name', '{document}', '--model-name-mappings', 'NewPet=PetInput'],
      '--additional-properties=withGoMod=false',
    ],
    compile: [GO_COMPILE],
    run: ['./scenario'],
    errors:
      '`*GenericOpenAPIError`, whose `Model()` is the `Error`; the `http.Response` has the headers',
    settings:
      '`--model-name-mappings NewPet=PetInput`: its constructor `NewPet` of `Pet` collides with the model.',
  }),
  openapiGenerator('java', {
    needs: ['java', 'javac', 'mvn'],
    options: [
      '--additional-properties=invokerPackage={document},apiPackage={document}.api,modelPackage={document}.model',
    ],
    compile: [
      ['mvn', '--quiet', '--batch-mode', 'dependency:copy-dependencies', '-DoutputDirectory=lib'],
      [
        ...['javac', '-nowarn', '-d', 'classes', '-cp', 'lib/*'],
        ...['-sourcepath', 'pets/src/main/java:messages/src/main/java', 'Scenario.java'],
      ],
    ],
    run: ['java', '-cp', 'classes:lib/*', 'Scenario'],
    errors:
      '`ApiException` with status and headers; the `Error` is parsed from `getResponseBody()`',
    settings: 'Nothing.',
  }),
  openapiGenerator('typescript-fetch', {
    needs: ['npm'],
    options: [],
    compile: [TYPESCRIPT_COMPILE],
    run: TYPESCRIPT_RUN,
    errors: '`ResponseError`, whose `response` is read with `ModelErrorFromJSON`',
    exactIntegers: `${LOSSLESS} (\`listPetsRaw\`)`,
    settings: '`Error` is called `ModelError`.',
  }),
  openapiGenerator('rust', {
    needs: ['cargo'],
    options: ['--additional-properties=packageName={document},supportMiddleware=true'],
    compile: [['cargo', 'build', '--quiet']],
    run: ['target/debug/scenario'],
    errors: '`Error::ResponseError` with the status; the `Error` is parsed from `content`',
    settings:
      '`supportMiddleware=true`: operations return the body alone, and a middleware sees `Link` and `Retry-After`. Go by `status`: `entity` is always the variant of the first status.',
  }),
  {
    name: 'openapi-python-client',
    title: 'openapi-python-client',
    version: pinned('openapi-python-client'),
    needs: ['python3'],
    generate: [
      ...['openapi-python-client', 'generate', '--meta', 'none'],
      ...['--path', '{document}.json', '--output-path', '{document}'],
    ],
    compile: [PYTHON_COMPILE],
    run: ['python', 'scenario.py'],
    errors: '`parsed` is the `Error`, and nothing is raised',
    settings: 'The base address: the server of the document is not used.',
  },
  {
    name: 'oapi-codegen',
    title: 'oapi-codegen',
    version: OAPI_CODEGEN_VERSION,
    needs: ['go'],
    generate: [
      ...['go', 'run'],
      `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${OAPI_CODEGEN_VERSION}`,
      ...['-config', '{document}/oapi-codegen.yaml', '{document}.json'],
    ],
    compile: [GO_COMPILE],
    run: ['./scenario'],
    errors:
      '`JSON401`, `JSON404`, `JSON429` are the `Error`, `Headers429` has `RetryAfter`; `err` stays nil',
    settings:
      'The base address. `skip-prune: true` for the constants of `KnownErrorCode`, to which no field refers.',
  },
  {
    name: 'hey-api',
    title: '@hey-api/openapi-ts',
    version: pinned('@hey-api/openapi-ts'),
    needs: ['npm'],
    generate: ['openapi-ts', '--silent', '--input', '{document}.json', '--output', '{document}'],
    compile: [TYPESCRIPT_COMPILE],
    run: TYPESCRIPT_RUN,
    errors: '`error` is the `Error`, `response` has the headers; nothing is thrown',
    exactIntegers: `${LOSSLESS} (\`parseAs: 'text'\`), and its \`stringify\` as \`bodySerializer\``,
    settings: 'Nothing.',
  },
  {
    name: 'openapi-fetch',
    title: 'openapi-typescript with openapi-fetch',
    version: `${pinned('openapi-typescript')} and ${pinned('openapi-fetch')}`,
    needs: ['npm'],
    generate: ['openapi-typescript', '{document}.json', '--output', '{document}.ts'],
    compile: [TYPESCRIPT_COMPILE],
    run: TYPESCRIPT_RUN,
    errors: '`error` is the `Error`, `response` has the headers; nothing is thrown',
    exactIntegers: `${LOSSLESS} (\`parseAs: 'text'\`), and its \`stringify\` as \`bodySerializer\``,
    settings: 'The base address: the types hold none.',
  },
];

interface OpenapiGeneratorTarget
  extends Pick<Generator, 'needs' | 'compile' | 'run' | 'errors' | 'exactIntegers' | 'settings'> {
  readonly options: readonly string[];
}

/** A target language of openapi-generator, which is installed by pip together with its Java runtime. */
function openapiGenerator(
  language: string,
  { needs, options, ...target }: OpenapiGeneratorTarget,
): Generator {
  const sourcesAlone = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';
  const inFolder = language === 'python' ? '.' : '{document}';
  return {
    ...target,
    name: `openapi-generator-${language}`,
    title: `openapi-generator, \`${language}\``,
    version: pinned('openapi-generator-cli'),
    needs: ['python3', ...needs],
    generate: [
      ...['openapi-generator-cli', 'generate', '--generator-name', language],
      ...['--input-spec', '{document}.json', '--output', inFolder],
      ...[`--global-property=${sourcesAlone}`, ...options],
    ],
  };
}

/** The version of a package that all generators share. */
function pinned(name: string): string {
  const { dependencies } = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'));
  const requirements = readFileSync(join(HERE, 'requirements.txt'), 'utf8');
  const line = requirements.split('\n').find((each) => each.split(/[[=]/)[0] === name);
  const version: unknown = dependencies[name] ?? line?.split('==')[1];
  if (typeof version !== 'string') throw new Error(`No version of ${name} is set.`);
  return version;
}
