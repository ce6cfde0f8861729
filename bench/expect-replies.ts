import type { PetStatus } from '../src/core/pets/pets.ts';
import { samplePet } from '../src/core/pets/sample-pets.ts';
import type { WorkloadKind } from './load.ts';

/** Requests whose complete replies are compared before a contestant is measured. */
const SAMPLES = 30;

interface Expectation {
  readonly path: string;
  readonly init?: RequestInit;
  readonly status: number;
  /** The complete body; of a creation, without the id. */
  readonly body: unknown;
}

interface Asked {
  readonly url: string;
  readonly kind: WorkloadKind;
  readonly pets: number;
  readonly keys: readonly string[];
  /** The recorded body that a contestant with a constant reply sends to every request. */
  readonly constant: string | undefined;
}

/** Sends some requests and compares the complete replies with the content of the store. */
export async function expectRightReplies(asked: Asked): Promise<void> {
  for (let index = 0; index < SAMPLES; index += 1) {
    const { path, init, status, body } = expectation(asked, index);
    const key = asked.keys[index % asked.keys.length] ?? '';
    const headers = { ...headersOf(init), Authorization: `Bearer ${key}` };
    const reply = await fetch(asked.url + path, { ...init, headers });
    const text = await reply.text();
    const right = Bun.deepEquals(comparable(text, asked.kind), body);
    if (reply.status === status && right) continue;
    throw new Error(`Wrong reply to ${path}: ${reply.status} ${text.slice(0, 300)}`);
  }
}

function expectation(asked: Asked, index: number): Expectation {
  const expected = EXPECTATIONS[asked.kind](asked.pets, index);
  if (asked.constant === undefined) return expected;
  return { ...expected, status: 200, body: comparable(asked.constant, asked.kind) };
}

const EXPECTATIONS: Record<WorkloadKind, (pets: number, index: number) => Expectation> = {
  'list-20': () => page('/pets', 0, 20),
  'list-100': () => page('/pets?limit=100', 0, 100),
  mixed: () => page('/pets', 0, 20),
  walk: (pets) => {
    const after = Math.floor(Math.random() * (pets - 20));
    return page(`/pets?limit=20&after=${after}`, after, 20);
  },
  'list-20-status': (pets, index) => {
    const statuses: readonly PetStatus[] = ['available', 'pending', 'sold'];
    const status = statuses[index % 3] ?? 'sold';
    const body = [];
    for (let id = 1; body.length < 20 && id <= pets; id += 1) {
      if (samplePet(id - 1).status === status) body.push(petWith(id));
    }
    return { path: `/pets?status=${status}`, status: 200, body };
  },
  get: (pets) => {
    const id = 1 + Math.floor(Math.random() * pets);
    return { path: `/pets/${id}`, status: 200, body: petWith(id) };
  },
  update: (_pets, index) => {
    const name = `Renamed ${index}`;
    const init = {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name }),
    };
    return { path: '/pets/500', init, status: 200, body: { ...petWith(500), name } };
  },
  create: (_pets, index) => creation(index),
  'create-keyed': (_pets, index) => creation(index),
};

function creation(index: number): Expectation {
  const pet = { name: `Newcomer ${index}`, categoryId: 7, status: 'pending' };
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(pet),
  };
  return { path: '/pets', init, status: 201, body: pet };
}

function page(path: string, after: number, length: number): Expectation {
  const body = Array.from({ length }, (_, index) => petWith(after + index + 1));
  return { path, status: 200, body };
}

function petWith(id: number) {
  const { name, categoryId, status } = samplePet(id - 1);
  return { id, name, categoryId: Number(categoryId), status };
}

/** The parsed body; without the id for a creation, since that cannot be predicted. */
function comparable(text: string, kind: WorkloadKind): unknown {
  const value: unknown = JSON.parse(text);
  if (!kind.startsWith('create') || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'id'));
}

function headersOf(init: RequestInit | undefined): Record<string, string> {
  return init?.headers === undefined ? {} : { 'Content-Type': 'application/json' };
}
