import { useSearchParams } from 'wouter';
import { ENVIRONMENTS, type Environment } from '../../../core/environments.ts';
import { PET_STATUSES, type PetStatus } from '../../../core/pets/pets.ts';

/** The path of the page. */
export const PETS_PATH = '/animals';

/** What the page shows; all of it is part of the address. */
export interface PetsView {
  readonly environment: Environment;
  readonly status: PetStatus | '';
  /** Shows only the animal with this id; empty for all. */
  readonly id: string;
  /** Shows animals that are older than the one with this id; empty for the newest. */
  readonly before: string;
  /** The id of the animal that is opened; empty if none is. */
  readonly animal: string;
}

const NEWEST: PetsView = { environment: 'production', status: '', id: '', before: '', animal: '' };

/** The state of a history entry that this page has added for an opened animal. */
const OPENED = 'animal-opened';

/** The view in the page's address, and ways to change it. */
export function usePetsView() {
  const [parameters, setParameters] = useSearchParams();
  const view = viewIn(parameters);
  const set = (next: PetsView, state?: typeof OPENED) => {
    setParameters(parametersOf(next), { replace: false, ...(state && { state }) });
  };
  return {
    view,
    /** Filters begin at the newest animal again. */
    change: (changed: Partial<PetsView>) => set({ ...view, before: '', animal: '', ...changed }),
    open: (id: number) => set({ ...view, animal: String(id) }, OPENED),
    /** Like Back, if the page itself has opened the animal. */
    close() {
      if (window.history.state === OPENED) window.history.back();
      else setParameters(parametersOf({ ...view, animal: '' }), { replace: true });
    },
  };
}

/** The address of a view. @param view by default the newest animals of production. */
export function petsAddress(view: Partial<PetsView>): string {
  const parameters = parametersOf({ ...NEWEST, ...view });
  return parameters.size === 0 ? PETS_PATH : `${PETS_PATH}?${parameters}`;
}

/** The parameters of the dashboard's API for the list of a view. */
export function listQuery({ status, id, before }: PetsView): string {
  return parametersOf({ ...NEWEST, status, id, before: id === '' ? before : '' }).toString();
}

function viewIn(parameters: URLSearchParams): PetsView {
  const text = (name: string) => parameters.get(name)?.trim() ?? '';
  const chosen = <Choice extends string>(name: string, choices: readonly Choice[]) =>
    choices.find((choice) => choice === text(name));
  return {
    environment: chosen('environment', ENVIRONMENTS) ?? NEWEST.environment,
    status: chosen('status', PET_STATUSES) ?? '',
    id: text('id'),
    before: text('before'),
    animal: text('animal'),
  };
}

function parametersOf(view: PetsView): URLSearchParams {
  const set = Object.entries(view).filter(
    ([name, value]) => value !== '' && !(name === 'environment' && value === NEWEST.environment),
  );
  return new URLSearchParams(set);
}
