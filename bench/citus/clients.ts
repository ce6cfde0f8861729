import { bucketOf } from '../../src/storage/pets/buckets.ts';

/** The number of concurrent clients, and the pause of each between two requests, in ms. */
const LANES = 12;
const PAUSE = 15;

/** Of four requests, one creates a pet, one lists the first page, and two read a page after a random id. */
const KINDS = ['create', 'list', 'page', 'page'] as const;

/** A reply, or a broken connection: status 0. */
export interface Sample {
  readonly kind: (typeof KINDS)[number];
  /** The bucket of the page after a random id. */
  readonly bucket: number | undefined;
  readonly status: number;
  /** ms */
  readonly took: number;
}

/** Clients that list and create pets at a steady rate, and record the acknowledged ones. */
export class Clients {
  readonly #bases: readonly string[];
  readonly #keys: readonly string[];
  readonly #pets: number;
  readonly #created: number[] = [];
  readonly #lanes: Promise<void>[];
  #samples: Sample[] = [];
  #running = true;

  /** @param pets the greatest id of the existing pets, which start at 1. */
  constructor(ports: readonly number[], keys: readonly string[], pets: number) {
    this.#bases = ports.map((port) => `http://127.0.0.1:${port}/v1`);
    this.#keys = keys;
    this.#pets = pets;
    this.#lanes = Array.from({ length: LANES }, (_, lane) => this.#send(lane));
  }

  /** The samples since the last call. */
  take(): Sample[] {
    const samples = this.#samples;
    this.#samples = [];
    return samples;
  }

  /** Waits for this many ms, and returns the samples of that time. */
  async during(time: number): Promise<Sample[]> {
    this.take();
    await Bun.sleep(time);
    return this.take();
  }

  /** Ends the load. @returns how many acknowledged pets are found, and how many are lost. */
  async stop(): Promise<{ found: number; lost: number }> {
    this.#running = false;
    await Promise.all(this.#lanes);
    let lost = 0;
    for (const id of this.#created) {
      const reply = await this.#fetch(0, `/pets/${id}`);
      if (reply.status !== 200) lost += 1;
      await reply.body?.cancel();
    }
    return { found: this.#created.length - lost, lost };
  }

  async #send(lane: number): Promise<void> {
    for (let count = 0; this.#running; count += 1) {
      const begun = performance.now();
      const kind = KINDS[(lane + count) % KINDS.length] ?? 'list';
      const id = 1 + Math.floor(Math.random() * this.#pets);
      const status = await this.#ask(kind, lane, count, id);
      const bucket = kind === 'page' ? bucketOf(id) : undefined;
      const took = performance.now() - begun;
      this.#samples.push({ kind, bucket, status, took });
      await Bun.sleep(PAUSE);
    }
  }

  #ask(kind: Sample['kind'], lane: number, count: number, id: number): Promise<number> {
    if (kind === 'create') return this.#create(lane, count);
    return this.#get(lane, kind === 'list' ? '/pets' : `/pets?limit=5&after=${id - 1}`);
  }

  async #get(lane: number, path: string): Promise<number> {
    try {
      const reply = await this.#fetch(lane, path);
      await reply.text();
      return reply.status;
    } catch {
      return 0;
    }
  }

  async #create(lane: number, count: number): Promise<number> {
    try {
      const reply = await this.#fetch(lane, '/pets', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `${lane}-${count}` },
        body: JSON.stringify({ name: 'Rex', categoryId: 7 }),
      });
      const text = await reply.text();
      if (reply.status === 201) this.#created.push(Number(JSON.parse(text).id));
      return reply.status;
    } catch {
      return 0;
    }
  }

  #fetch(lane: number, path: string, init: RequestInit = {}): Promise<Response> {
    const key = this.#keys[lane % this.#keys.length] ?? '';
    const headers = { ...init.headers, Authorization: `Bearer ${key}` };
    return fetch(`${this.#bases[lane % this.#bases.length]}${path}`, { ...init, headers });
  }
}
