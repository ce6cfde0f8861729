import { type ApiError, apiError } from '../errors.ts';
import { transitionError } from '../transitions.ts';
import { type DeleteOutcome, PET_TRANSITIONS, type UpdateOutcome } from './pet-changes.ts';

/** Why a change or a deletion was not made. */
type Refusal = Exclude<UpdateOutcome | DeleteOutcome, { readonly kind: 'updated' | 'deleted' }>;

/** The error for a change that was not made. @param petId the id as it was asked for. */
export function petRefusal(refusal: Refusal, petId: bigint | number): ApiError {
  switch (refusal.kind) {
    case 'not_found':
      return apiError('pet_not_found', { petId });
    case 'not_owner':
      return apiError('not_owner');
    case 'precondition_failed':
      return apiError('precondition_failed', { header: refusal.header });
    case 'reserved':
      return apiError('pet_reserved');
    case 'invalid_transition':
      return transitionError(PET_TRANSITIONS, refusal.from, refusal.to);
  }
}
