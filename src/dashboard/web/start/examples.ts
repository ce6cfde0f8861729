import type { SessionInfo } from '../../shared/api.ts';

export const MESSAGE = 'Hello, petstore!';

export type ExampleCall = 'message' | 'pets';
export type Language = 'curl' | 'javascript' | 'typescript' | 'python';

type Addresses = SessionInfo['addresses'];

/** Source code of a call in a language. Without a key it reads one from the environment. */
export function exampleOf(
  call: ExampleCall,
  language: Language,
  addresses: Addresses,
  key?: ExampleKey,
): string {
  return EXAMPLES[language][call](addresses[placeOf(call, key)], key?.text);
}

/** A key of one environment, to which the calls are sent. */
export interface ExampleKey {
  readonly text: string;
  readonly environment: 'production' | 'staging';
  /** Whether it was pasted. */
  readonly isOwn?: boolean;
  /** The part of the pasted text that was removed. */
  readonly leftOut?: string | undefined;
}

/** The API that a call is sent to. */
export function placeOf(call: ExampleCall, key?: ExampleKey): keyof Addresses {
  return call === 'message' ? 'quickstart' : (key?.environment ?? 'production');
}

type Example = (baseUrl: string, key: string | undefined) => string;

const EXAMPLES: Record<Language, Record<ExampleCall, Example>> = {
  curl: {
    message: (baseUrl, key) => `curl -i ${baseUrl}/messages \\
  -H "Authorization: Bearer ${key ?? '$PETSTORE_KEY'}" \\
  -H "Content-Type: application/json" \\
  -d '{"message": "${MESSAGE}"}'`,
    pets: (baseUrl, key) => `curl -i ${baseUrl}/pets \\
  -H "Authorization: Bearer ${key ?? '$PETSTORE_KEY'}"`,
  },
  javascript: {
    message: (baseUrl, key) => `const response = await fetch('${baseUrl}/messages', {
  method: 'POST',
  headers: {
    Authorization: ${javascriptBearer(key)},
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({ message: '${MESSAGE}' }),
});
console.log(response.status, await response.text());`,
    pets: (baseUrl, key) => `const response = await fetch('${baseUrl}/pets', {
  headers: { Authorization: ${javascriptBearer(key)} },
});
console.log(response.status, await response.text());`,
  },
  typescript: {
    message: (baseUrl, key) => `import { PetstoreClient } from 'petstore-client';

const client = new PetstoreClient({
  apiKey: ${typescriptKey(key)},
  quickstartBaseUrl: '${baseUrl}',
});

console.log(await client.sendMessage('${MESSAGE}'));`,
    pets: (baseUrl, key) => `import { PetstoreClient } from 'petstore-client';

const client = new PetstoreClient({
  apiKey: ${typescriptKey(key)},
  baseUrl: '${baseUrl}',
});

const { pets } = await client.listPets();
console.log(pets);`,
  },
  python: {
    message: (baseUrl, key) => `import json, ${pythonOs(key)}urllib.request

request = urllib.request.Request(
    "${baseUrl}/messages",
    json.dumps({"message": "${MESSAGE}"}).encode(),
    {"Authorization": ${pythonBearer(key)}, "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())`,
    pets: (baseUrl, key) => `import ${pythonOs(key)}urllib.request

request = urllib.request.Request(
    "${baseUrl}/pets",
    headers={"Authorization": ${pythonBearer(key)}},
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())`,
  },
};

function javascriptBearer(key: string | undefined): string {
  return key === undefined ? "'Bearer ' + process.env.PETSTORE_KEY" : `'Bearer ${key}'`;
}

function typescriptKey(key: string | undefined): string {
  return key === undefined ? "process.env.PETSTORE_KEY ?? ''" : `'${key}'`;
}

function pythonBearer(key: string | undefined): string {
  return key === undefined ? '"Bearer " + os.environ["PETSTORE_KEY"]' : `"Bearer ${key}"`;
}

function pythonOs(key: string | undefined): string {
  return key === undefined ? 'os, ' : '';
}
