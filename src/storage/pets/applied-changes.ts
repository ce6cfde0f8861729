import type { PetStore } from '../../core/pets/pet-store.ts';

/**
 * Waits for a change in a transaction; cached pages then show its pets as they are.
 * @param changesPets whether a change with this outcome has changed pets.
 */
export async function applied<Outcome>(
  pets: Pick<PetStore, 'applyOwnChanges'>,
  change: Promise<Outcome>,
  changesPets: (outcome: Outcome) => boolean,
): Promise<Outcome> {
  let mayHaveChanged = true;
  try {
    const outcome = await change;
    mayHaveChanged = changesPets(outcome);
    return outcome;
  } finally {
    // Also after a failure, because the change may be committed.
    if (mayHaveChanged) await pets.applyOwnChanges();
  }
}
