import { Button, Group, Table, Text } from '@mantine/core';
import type { KeyInfo } from '../../shared/api.ts';
import { Time } from '../common/time.tsx';
import { KeyState } from './key-state.tsx';

interface KeyTableProps {
  readonly keys: readonly KeyInfo[];
  readonly onRotate: (key: KeyInfo) => void;
  readonly onRevoke: (key: KeyInfo) => void;
}

const COLUMNS = ['Key', 'Environment', 'State', 'Created', 'Last used'] as const;

// Explicit roles survive where the style sheet turns the table into cards.
export function KeyTable({ keys, onRotate, onRevoke }: KeyTableProps) {
  return (
    <Table className="stacked" role="table" verticalSpacing="sm" aria-label="Your keys">
      <Table.Thead role="rowgroup">
        <Table.Tr role="row">
          {COLUMNS.map((name) => (
            <Table.Th key={name} role="columnheader" scope="col">
              {name}
            </Table.Th>
          ))}
          <Table.Th role="columnheader" scope="col">
            Change
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">
        {keys.map((key) => (
          <KeyRow key={key.id} value={key} onRotate={onRotate} onRevoke={onRevoke} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The id of the element that shows a key. */
export function keyRowId(id: string): string {
  return `key-${id}`;
}

/** The id of the button that opens the dialog to revoke a key. */
export function revokeButtonId(id: string): string {
  return `revoke-${id}`;
}

interface KeyRowProps extends Omit<KeyTableProps, 'keys'> {
  readonly value: KeyInfo;
}

function KeyRow({ value, onRotate, onRevoke }: KeyRowProps) {
  const isLive = value.state === 'active' || value.state === 'expiring' || value.state === 'banned';
  return (
    <Table.Tr role="row" id={keyRowId(value.id)} tabIndex={-1}>
      <Table.Td role="cell" data-label="Key">
        <div>
          <Text size="sm" fw={600} className="address">
            {value.name}
          </Text>
          <Text size="xs" ff="monospace" c="dimmed" className="nowrap">
            {value.prefix}…{value.lastFour}
          </Text>
        </div>
      </Table.Td>
      <Table.Td role="cell" data-label="Environment">
        <div>
          {value.environment}
          {value.isTemporary && (
            <Text size="xs" c="dimmed" className="address">
              temporary, made to try the API
            </Text>
          )}
          {value.simulate === null ? null : (
            <Text size="xs" c="dimmed" className="address">
              simulates {value.simulate}
            </Text>
          )}
        </div>
      </Table.Td>
      <Table.Td role="cell" data-label="State">
        <KeyState value={value} />
      </Table.Td>
      <Table.Td role="cell" data-label="Created">
        <Time at={value.createdAt} />
      </Table.Td>
      <Table.Td role="cell" data-label="Last used">
        {value.lastUsedAt === null ? 'Never' : <Time at={value.lastUsedAt} />}
      </Table.Td>
      <Table.Td role="cell" data-label="Change">
        {isLive ? (
          <Group gap="xs" wrap="nowrap">
            <Button
              size="xs"
              variant="default"
              aria-label={`Rotate ${value.name}`}
              onClick={() => onRotate(value)}
            >
              Rotate
            </Button>
            <Button
              size="xs"
              variant="default"
              c="var(--mantine-color-error)"
              id={revokeButtonId(value.id)}
              aria-label={`Revoke ${value.name}`}
              onClick={() => onRevoke(value)}
            >
              Revoke
            </Button>
          </Group>
        ) : (
          '–'
        )}
      </Table.Td>
    </Table.Tr>
  );
}
