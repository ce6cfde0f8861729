import { Badge } from '@mantine/core';
import type { PetStatus } from '../../../core/pets/pets.ts';
import type { PetInfo } from '../../shared/pets.ts';

const OWNERS = {
  you: ['accent', 'yours'],
  nobody: ['gray', 'nobody’s'],
  another: ['gray', 'somebody else’s'],
} as const;

const STATUSES = { available: 'accent', pending: 'yellow', sold: 'gray' } as const;

/** Whose an animal is. */
export function PetOwner({ owner }: Pick<PetInfo, 'owner'>) {
  const [color, label] = OWNERS[owner];
  return (
    <Badge className="badge" variant={owner === 'you' ? 'light' : 'default'} color={color}>
      {label}
    </Badge>
  );
}

export function PetStatusBadge({ status }: { readonly status: PetStatus }) {
  return (
    // Keyed by status, so that the text of the badge does not animate.
    <Badge key={status} className="badge" variant="light" color={STATUSES[status]}>
      {status}
    </Badge>
  );
}
