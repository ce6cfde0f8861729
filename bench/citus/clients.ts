import { bucketOf } from '../../src/storage/pets/buckets.ts';

/** The number of concurrent clients, and the pause of each between two requests, in ms. */
const LANES = 12;
const PAUSE = 15;

/** One of this many requests creates a pet. */
const CREATES = 4;

/** A reply, or a broken connection: status 0. */
export interface Sample {
  readonly kind: 'get' | 'create';
  /** The bucket of the requested pet. */
  readonly bucket: number | undefined;
  readonly status: number;
  /** ms */
  readonly took: number;
}

/** Clients that fetch and create pets at a steady rate, and record the acknowledged ones. */
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
      const isCreation = (lane + count) % CREATES === 0;
      const id = 1 + Math.floor(Math.random() * this.#pets);
      const status = await (isCreation ? this.#create(lane, count) : this.#get(lane, id));
      const bucket = isCreation ? undefined : bucketOf(id);
      const took = performance.now() - begun;
      this.#samples.push({ kind: isCreation ? 'create' : 'get', bucket, status, took });
      await Bun.sleep(PAUSE);
    }
  }

  async #get(lane: number, id: number): Promise<number> {
    try {
      const reply = await this.#fetch(lane, `/pets/${id}`);
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
