import type { ServiceProcess } from '../../support/process.ts';
import { type CrashSubject, LostChange } from './crash-subject.ts';
import { PetHolder, petOf } from './pet-holder.ts';

const MAX_PER_ROUND = 8;
const STEPS = ['placed', 'approved', 'delivered'];

/** The status of the animal at each step. */
const PET_STATUSES = ['pending', 'pending', 'sold'];

interface Ordered {
  readonly petId: number;
  /** The last acknowledged step; -1 until the order is. */
  acknowledged: number;
}

interface FoundOrder {
  readonly id: number;
  readonly petId: number;
  readonly status: string;
}

/** An acknowledged order has its step or a later one, and an animal is pending exactly while an order for it is open. */
export class PetOrders implements CrashSubject {
  readonly name = 'orders';
  readonly #holder = new PetHolder();
  #ofRound: Ordered[] = [];
  acknowledged = 0;

  prepare(service: ServiceProcess): Promise<void> {
    this.#ofRound = [];
    return this.#holder.prepare(service);
  }

  async change(service: ServiceProcess): Promise<boolean> {
    if (this.#ofRound.length >= MAX_PER_ROUND) return false;
    const petId = await this.#holder.add(service, 'Rex');
    const ordered: Ordered = { petId, acknowledged: -1 };
    this.#ofRound.push(ordered);
    const placed = await this.#holder.send(service, 'POST', '/store/orders', { petId });
    if (placed.status !== 201) throw new Error(`an order gets ${placed.status}`);
    this.#acknowledge(ordered);
    const { id }: FoundOrder = Object(placed.body);
    for (const status of STEPS.slice(1)) {
      const reply = await this.#holder.send(service, 'PATCH', `/store/orders/${id}`, { status });
      if (reply.status !== 200) throw new Error(`an order gets ${reply.status}`);
      this.#acknowledge(ordered);
    }
    return true;
  }

  async check(service: ServiceProcess): Promise<void> {
    const orders = await this.#orders(service);
    for (const { petId, acknowledged } of this.#ofRound) {
      const found = orders.filter((order) => order.petId === petId);
      if (found.length > 1) throw new LostChange(`the animal ${petId} was ordered twice`);
      const step = STEPS.indexOf(found[0]?.status ?? '');
      if (step < acknowledged) {
        throw new LostChange(`an order should be ${STEPS[acknowledged]}, and is ${STEPS[step]}`);
      }
      await this.#checkPet(service, petId, step);
    }
  }

  #acknowledge(ordered: Ordered): void {
    ordered.acknowledged += 1;
    this.acknowledged += 1;
  }

  async #orders(service: ServiceProcess): Promise<readonly FoundOrder[]> {
    const { body } = await this.#holder.send(service, 'GET', '/store/orders?limit=100');
    const orders: readonly FoundOrder[] = Array.isArray(body) ? body : [];
    const ids = orders.map(({ id }) => id);
    if (new Set(ids).size !== ids.length) throw new LostChange(`an id is there twice: ${ids}`);
    return orders;
  }

  /** @param step of its order; -1 if it has none. */
  async #checkPet(service: ServiceProcess, petId: number, step: number): Promise<void> {
    const { body } = await this.#holder.send(service, 'GET', `/pets/${petId}`);
    const { status } = petOf(body);
    const expected = PET_STATUSES[step] ?? 'available';
    if (status === expected) return;
    throw new LostChange(`the order is ${STEPS[step]}, and its animal ${petId} is ${status}`);
  }
}
