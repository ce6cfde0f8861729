import type { OperationId } from '../operations.ts';
import { fetchSample, javascriptLiteral } from './javascript.ts';
import type { SampleCall } from './sample-call.ts';

/** The calls of the published client. Operations that the client lacks are sent with `fetch`. */
const CLIENT_CALLS: Partial<Record<OperationId, WriteCall>> = {
  listPets: ({ query }) => ({
    result: '{ pets, next }',
    shown: 'pets, next',
    call: `listPets(${javascriptLiteral(query)})`,
  }),
  createPet: ({ body }) => onePet(`createPet(${javascriptLiteral(body)})`),
  getPet: ({ path }) => onePet(`getPet(${path['petId']})`),
  sendMessage: ({ body }) => ({
    result: 'message',
    shown: 'message',
    call: `sendMessage(${javascriptLiteral(body?.['message'])})`,
    address: 'quickstartBaseUrl',
  }),
};

/** The parameters of the function that reads exact integers; the types of TypeScript lack the third one. */
const TYPED = "_: string, value: unknown, { source = '' }: { source?: string } = {}";

const CALLS = new Map<string, WriteCall>(Object.entries(CLIENT_CALLS));

type WriteCall = (call: SampleCall) => ClientCall;

interface ClientCall {
  readonly call: string;
  /** The variable or pattern that the result is assigned to. */
  readonly result: string;
  /** The part of the result that is shown. */
  readonly shown: string;
  /** The client option for the base address. */
  readonly address?: 'baseUrl' | 'quickstartBaseUrl';
}

function onePet(call: string): ClientCall {
  return { call, result: 'pet', shown: 'pet' };
}

/** The request with the published client, `petstore-client`. */
export function typescriptSample(call: SampleCall): string {
  const ofClient = CALLS.get(call.operationId)?.(call);
  if (!ofClient)
    return `// The client has no such call: this is fetch.\n${fetchSample(call, TYPED)}`;
  const { result, shown, address = 'baseUrl', call: text } = ofClient;
  return `import { PetstoreClient } from 'petstore-client';

const petstore = new PetstoreClient({
  apiKey: '${call.apiKey}',
  ${address}: '${call.baseUrl}',
});
const ${result} = await petstore.${text};
console.log(${shown});`;
}
