import { hashKey, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Environment } from '../../../core/environments.ts';
import { readInt64 } from '../../../lib/int64.ts';
import type { OrderInfo } from '../../shared/orders.ts';
import type {
  NewPetInfo,
  PetChangeInfo,
  PetInfo,
  PetPageInfo,
  SamplesInfo,
} from '../../shared/pets.ts';
import { call, useAction } from '../api.ts';
import { listQuery, type PetsView } from './pets-view.ts';

/** The topic of the live channel. */
const PETS = 'pets';

/** The animals of a view. */
export function usePets(view: PetsView) {
  const { environment } = view;
  const query = listQuery(view);
  return useQuery({
    queryKey: [PETS, environment, query],
    // What is no id belongs to no animal, and is no failure.
    queryFn: () =>
      view.id === '' || readInt64(view.id) !== undefined
        ? call<PetPageInfo>('GET', `/${environment}/pets${query}`)
        : { pets: [], next: null },
    // The current list stays until the next one is loaded, unless it is of the other environment.
    placeholderData: (before, query) => (query?.queryKey[1] === environment ? before : undefined),
  });
}

/** One animal. @param id as in the address of the page; empty for none. */
export function usePet(environment: Environment, id: string) {
  return useQuery({
    queryKey: keyOf(environment, id),
    queryFn: () => call<PetInfo>('GET', `/${environment}/pets/${encodeURIComponent(id)}`),
    enabled: id !== '',
  });
}

/** Adds an animal. @param onDone called with it. */
export function useAddPet(environment: Environment, onDone: (pet: PetInfo) => void) {
  return usePetAction(
    (pet: NewPetInfo) => call<PetInfo>('POST', `/${environment}/pets`, pet),
    onDone,
  );
}

/** Adds sample animals to staging. */
export function useAddSamples(onDone: (samples: SamplesInfo) => void) {
  return usePetAction(() => call<SamplesInfo>('POST', '/staging/pets/samples'), onDone);
}

/** Changes an animal; the page shows the result at once. */
export function useChangePet(environment: Environment, id: number, onDone?: () => void) {
  const client = useQueryClient();
  return usePetAction(
    (change: PetChangeInfo) => call<PetInfo>('PUT', `/${environment}/pets/${id}`, change),
    (pet) => {
      client.setQueryData(keyOf(environment, String(id)), pet);
      onDone?.();
    },
  );
}

export function useDeletePet(environment: Environment, id: number, onDone: () => void) {
  const client = useQueryClient();
  return useAction({
    mutationFn: () => call<void>('DELETE', `/${environment}/pets/${id}`),
    onSuccess: onDone,
    onSettled(_, error) {
      const shown = hashKey(keyOf(environment, String(id)));
      void client.invalidateQueries({
        queryKey: [PETS],
        // A deleted animal is shown until the drawer is closed.
        predicate: ({ queryHash }) => error !== null || queryHash !== shown,
      });
    },
  });
}

/** Orders an animal. */
export function useOrderPet(environment: Environment, petId: number) {
  return usePetAction(() => call<OrderInfo>('POST', `/${environment}/orders`, { petId }));
}

/** Also reloads the animals after a failed change, because an outdated one may be the reason. */
function usePetAction<Result, Wish = void>(
  mutationFn: (wish: Wish) => Promise<Result>,
  onSuccess?: (result: Result) => void,
) {
  const client = useQueryClient();
  return useAction({
    mutationFn,
    ...(onSuccess && { onSuccess }),
    onSettled: () => void client.invalidateQueries({ queryKey: [PETS] }),
  });
}

function keyOf(environment: Environment, id: string) {
  return [PETS, environment, 'one', id];
}
