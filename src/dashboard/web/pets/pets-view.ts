import { ENVIRONMENTS, type Environment } from '../../../core/environments.ts';
import { PET_STATUSES, type PetStatus } from '../../../core/pets/pets.ts';
import { inAddress, queryOf, useAddress } from '../common/address.ts';
import { useDialog } from '../common/dialog.ts';

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

/** The parameter of the form that is opened in an animal: `change` or `delete`. */
export const PET_FORM = 'form';

/** The view in the page's address, and ways to change it. */
export function usePetsView() {
  const { parameters, change } = useAddress();
  const { open, close } = useDialog('animal', PET_FORM);
  return {
    view: viewIn(parameters),
    /** Filters begin at the newest animal again. */
    change: (part: Partial<PetsView>) =>
      change({ before: '', animal: '', [PET_FORM]: '', ...inAddress(part) }),
    open: (id: number) => open(String(id)),
    close,
  };
}

/** The address of a view. @param view by default the newest animals of production. */
export function petsAddress(view: Partial<PetsView>): string {
  return `${PETS_PATH}${queryOf(inAddress(view))}`;
}

/** The query of the request for the list of a view. */
export function listQuery({ status, id, before }: PetsView): string {
  return queryOf({ status, id, before: id === '' ? before : '' });
}

function viewIn(parameters: URLSearchParams): PetsView {
  const text = (name: string) => parameters.get(name)?.trim() ?? '';
  const chosen = <Choice extends string>(name: string, choices: readonly Choice[]) =>
    choices.find((choice) => choice === text(name));
  return {
    environment: chosen('environment', ENVIRONMENTS) ?? 'production',
    status: chosen('status', PET_STATUSES) ?? '',
    id: text('id'),
    before: text('before'),
    animal: text('animal'),
  };
}
