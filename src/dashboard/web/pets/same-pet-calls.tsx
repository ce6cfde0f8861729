import { PET_TRANSITIONS } from '../../../core/pets/pet-changes.ts';
import { SameCall } from '../common/same-call.tsx';
import { type PetProps, Section, useRefusal, useServed } from './pet-section.tsx';

/** The calls of the API that do what the buttons of an animal do. */
export function PetCalls({ environment, pet }: PetProps) {
  const { id, status, isReserved } = pet;
  const isServed = useServed();
  const mayChange = useRefusal(pet) === undefined && !isReserved;
  const statuses = mayChange && isServed('updatePet') ? PET_TRANSITIONS[status] : [];
  const mayOrder = status === 'available' && isServed('createOrder');
  const mayDelete = mayChange && isServed('deletePet');
  if (statuses.length === 0 && !mayOrder && !mayDelete) return null;
  return (
    <Section title="The same with the API">
      {statuses.map((next) => (
        <SameCall
          key={next}
          environment={environment}
          call={{ operation: 'updatePet', id, body: { status: next } }}
          title={`Set to ${next}`}
          label={`the call for status ${next}`}
        />
      ))}
      {mayOrder && (
        <SameCall
          environment={environment}
          call={{ operation: 'createOrder', body: { petId: id } }}
          title="Order it"
          label="the call for an order"
        />
      )}
      {mayDelete && (
        <SameCall
          environment={environment}
          call={{ operation: 'deletePet', id }}
          title="Delete"
          label="the call for its removal"
        />
      )}
    </Section>
  );
}
