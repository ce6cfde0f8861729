import { createKey } from '../../support/dashboard-scene.ts';
import type { ServiceProcess } from '../../support/process.ts';
import { LastingVisitor, LostChange } from './crash-subject.ts';

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export interface FoundPet {
  readonly id: number;
  readonly name: string;
  readonly status: string;
}

/**
 * An account with animals in staging, where no other subject has any. It may send 60 requests in a round and in the
 * check after it.
 */
export class PetHolder {
  #key = '';
  /** The ids of all animals that it has added, in any round. */
  readonly #seen = new Set<number>();

  /** Makes another account. */
  async prepare(service: ServiceProcess): Promise<void> {
    const visitor = new LastingVisitor();
    await visitor.signUp(service);
    const { text } = await createKey(visitor.at(service), { environment: 'staging' });
    this.#key = text;
  }

  /** @throws Error for a reply that says that the service failed or was asked too often. */
  async send(
    service: ServiceProcess,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Reply> {
    const reply = await fetch(`${service.url('staging')}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.#key}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (reply.status === 429 || reply.status >= 500) {
      throw new Error(`${method} ${path} gets ${reply.status}: ${text}`);
    }
    return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  /**
   * Adds an animal, and returns its id.
   * @throws LostChange if the id was assigned before.
   */
  async add(service: ServiceProcess, name: string): Promise<number> {
    const reply = await this.send(service, 'POST', '/pets', { name, categoryId: 1 });
    const { id } = petOf(reply.body);
    // Requests at the same time may be answered in any order.
    if (this.#seen.has(id)) throw new LostChange(`the id ${id} was assigned twice`);
    this.#seen.add(id);
    return id;
  }
}

/** Reads an animal from a reply. */
export function petOf(body: unknown): FoundPet {
  const { id, name, status }: Partial<FoundPet> = Object(body);
  if (id === undefined || name === undefined || status === undefined) {
    throw new Error(`This is not an animal: ${JSON.stringify(body)}`);
  }
  return { id, name, status };
}
