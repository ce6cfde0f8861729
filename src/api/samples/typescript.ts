import { ORDER_STATUSES } from '../../core/orders/orders.ts';
import { PET_STATUSES } from '../../core/pets/pets.ts';
import { type Int64, readInt64, toInt64 } from '../../lib/int64.ts';
import type { OperationId } from '../operations.ts';
import { fetchSample, javascriptLiteral } from './javascript.ts';
import type { SampleCall } from './sample-call.ts';

/** The calls of the published client. */
const CLIENT_CALLS: Partial<Record<OperationId, WriteCall>> = {
  listPets: (call) => page(call, 'listPets', 'pets'),
  createPet: ({ body }) => {
    const { name, categoryId } = body?.fields ?? {};
    const isComplete = name !== undefined && categoryId !== undefined;
    const isTyped = isComplete && hasPetFields(body?.fields);
    return isTyped ? onePet('createPet', javascriptLiteral(body?.fields)) : undefined;
  },
  getPet: ({ path }) => {
    const id = int64Of(path['petId'] ?? '');
    return id === undefined ? undefined : onePet('getPet', javascriptLiteral(id));
  },
  updatePet: ({ path, body }) => {
    const id = int64Of(path['petId'] ?? '');
    const isTyped = body?.fields !== undefined && hasPetFields(body.fields);
    if (id === undefined || !isTyped) return undefined;
    return onePet('updatePet', `${javascriptLiteral(id)}, ${javascriptLiteral(body?.fields)}`);
  },
  deletePet: ({ path }) => {
    const id = int64Of(path['petId'] ?? '');
    if (id === undefined) return undefined;
    return { name: 'deletePet', input: javascriptLiteral(id), shown: "'Deleted'" };
  },
  listOrders: (call) => page(call, 'listOrders', 'orders'),
  createOrder: ({ body }) => {
    const { petId, ...unknown } = body?.fields ?? {};
    if (!isInt64(petId) || Object.keys(unknown).length > 0) return undefined;
    return oneOrder('createOrder', javascriptLiteral(body?.fields));
  },
  getOrder: ({ path }) => {
    const id = int64Of(path['orderId'] ?? '');
    return id === undefined ? undefined : oneOrder('getOrder', javascriptLiteral(id));
  },
  updateOrder: ({ path, body }) => {
    const id = int64Of(path['orderId'] ?? '');
    const { status, ...unknown } = body?.fields ?? {};
    const isTyped =
      ORDER_STATUSES.some((known) => known === status) && Object.keys(unknown).length === 0;
    if (id === undefined || !isTyped) return undefined;
    return oneOrder('updateOrder', `${javascriptLiteral(id)}, ${javascriptLiteral(body?.fields)}`);
  },
  sendMessage: ({ body }) => {
    const { message, ...unknown } = body?.fields ?? {};
    if (typeof message !== 'string' || Object.keys(unknown).length > 0) return undefined;
    return {
      result: 'message',
      shown: 'message',
      name: 'sendMessage',
      input: javascriptLiteral(message),
      address: 'quickstartBaseUrl',
    };
  },
};

/** The parameters of the function that reads exact integers; the types of TypeScript lack the third one. */
const TYPED = '_: string, value: unknown, context?: { source?: string }';

const CALLS = new Map<string, WriteCall>(Object.entries(CLIENT_CALLS));

/** `undefined` for a request that the types or the checks of the client refuse. */
type WriteCall = (call: SampleCall) => ClientCall | undefined;

interface ClientCall {
  readonly name: string;
  /** The argument before the options, as source code; `{}` may be left out. */
  readonly input: string;
  /** The variable or pattern that the result is assigned to, if the call has one. */
  readonly result?: string;
  /** The part of the result that is shown, or another expression. */
  readonly shown: string;
  /** The client option for the base address. */
  readonly address?: 'baseUrl' | 'quickstartBaseUrl';
}

/** A page of a list. @param items what the reply of the client calls them. */
function page({ query }: SampleCall, name: string, items: string): ClientCall | undefined {
  const typed = Object.entries(query).map(
    ([parameter, text]) => [parameter, parameter === 'status' ? text : int64Of(text)] as const,
  );
  if (typed.some(([, value]) => value === undefined)) return undefined;
  const input = javascriptLiteral(Object.fromEntries(typed));
  return { result: `{ ${items}, next }`, shown: `${items}, next`, name, input };
}

function oneOrder(name: string, input: string): ClientCall {
  return { name, input, result: 'order', shown: 'order' };
}

function onePet(name: string, input: string): ClientCall {
  return { name, input, result: 'pet', shown: 'pet' };
}

/** The request with the published client, `petstore-client`. */
export function typescriptSample(call: SampleCall): string {
  const ofClient = CALLS.get(call.operationId)?.(call);
  const given = ofClient && argumentsOf(call, ofClient);
  if (!ofClient || given === undefined) {
    const lack = CALLS.has(call.operationId) ? 'does not send such a request' : 'has no such call';
    return `// The client ${lack}: this is fetch.\n${fetchSample(call, TYPED)}`;
  }
  const { result, shown, address = 'baseUrl', name } = ofClient;
  return `import { PetstoreClient } from 'petstore-client';

const petstore = new PetstoreClient({
  apiKey: '${call.apiKey}',
  ${address}: '${call.baseUrl}',
});
${result === undefined ? '' : `const ${result} = `}await petstore.${name}(${given});
console.log(${shown});`;
}

/** Values of `If-Match` that the client sends. */
const USUAL_TAGS = /^(?:\*|(?:W\/)?"[!#-~]*"(?:, (?:W\/)?"[!#-~]*")*)$/;

/** The arguments of a call, with the headers as options; `undefined` if the client does not send them. */
function argumentsOf({ headers }: SampleCall, { input }: ClientCall): string | undefined {
  const { 'Idempotency-Key': idempotencyKey, 'If-Match': ifMatch, ...others } = headers;
  if (Object.keys(headers).length === 0) return input === '{}' ? '' : input;
  // A call of the client ends with data or an error, and a 304 is neither.
  if ('If-None-Match' in headers) return undefined;
  if (idempotencyKey !== undefined && !/^[!-~]{1,255}$/.test(idempotencyKey)) return undefined;
  if (ifMatch !== undefined && !USUAL_TAGS.test(ifMatch)) return undefined;
  const options = javascriptLiteral({
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(ifMatch !== undefined && { ifMatch }),
    ...(Object.keys(others).length > 0 && { headers: others }),
  });
  return `${input}, ${options}`;
}

/** Whether these are fields of an animal, with values of their types. */
function hasPetFields(fields: Readonly<Record<string, unknown>> = {}): boolean {
  const { name = '', categoryId = 0, status = 'available', ...unknown } = fields;
  return (
    typeof name === 'string' &&
    isInt64(categoryId) &&
    PET_STATUSES.some((known) => known === status) &&
    Object.keys(unknown).length === 0
  );
}

function int64Of(text: string): Int64 | undefined {
  const value = readInt64(text);
  return value === undefined ? undefined : toInt64(value);
}

function isInt64(value: unknown): boolean {
  const isInteger = typeof value === 'bigint' || Number.isInteger(value);
  return isInteger && readInt64(String(value)) !== undefined;
}
