import { Group, Table, Text } from '@mantine/core';
import type { PetInfo } from '../../shared/pets.ts';
import { useFocusAfterwards } from '../common/focus.ts';
import { useRowsInSteps } from '../common/in-steps.ts';
import { OpenLink } from '../common/open-link.tsx';
import { StackedHead } from '../common/stacked-head.tsx';
import { PetOwner, PetStatusBadge } from './pet-owner.tsx';

const COLUMNS = ['Animal', 'Id', 'Category', 'Status', 'Whose'] as const;

interface PetTableProps {
  readonly pets: readonly PetInfo[];
  /** The address of an opened animal. */
  readonly addressOf: (pet: PetInfo) => string;
  readonly onOpen: (pet: PetInfo) => void;
}

export function PetTable({ pets, addressOf, onOpen }: PetTableProps) {
  return (
    <Table
      className="stacked pets"
      role="table"
      verticalSpacing={6}
      highlightOnHover
      aria-label="Animals"
    >
      <StackedHead columns={COLUMNS} />
      <Table.Tbody role="rowgroup">
        {useRowsInSteps(pets).map((pet) => (
          <Row key={pet.id} pet={pet} address={addressOf(pet)} onOpen={() => onOpen(pet)} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface RowProps {
  readonly pet: PetInfo;
  readonly address: string;
  readonly onOpen: () => void;
}

function Row({ pet, address, onOpen }: RowProps) {
  const { id, name, categoryId, status, owner, isReserved } = pet;
  const row = useFocusAfterwards<HTMLTableRowElement>();
  return (
    <Table.Tr ref={row} role="row">
      <Table.Td role="cell" data-label="Animal">
        <OpenLink
          href={address}
          className="pet-name clamped-name"
          dir="auto"
          title={name}
          onOpen={onOpen}
        >
          {name}
        </OpenLink>
      </Table.Td>
      <Table.Td role="cell" data-label="Id">
        <span className="monospace">{id}</span>
      </Table.Td>
      <Table.Td role="cell" data-label="Category">
        <span className="monospace">{categoryId}</span>
      </Table.Td>
      <Table.Td role="cell" data-label="Status">
        <Group gap={4}>
          <PetStatusBadge status={status} />
          {isReserved && (
            <Text size="xs" c="dimmed">
              ordered
            </Text>
          )}
        </Group>
      </Table.Td>
      <Table.Td role="cell" data-label="Whose">
        <PetOwner owner={owner} />
      </Table.Td>
    </Table.Tr>
  );
}
