import { Anchor, Button, Group, Table, Text } from '@mantine/core';
import type { KeyInfo, KeyLink } from '../../shared/api.ts';
import { useFocusAfterwards } from '../common/focus.ts';
import { useRowsInSteps } from '../common/in-steps.ts';
import { StackedHead } from '../common/stacked-head.tsx';
import { useSuspension } from '../common/suspension.tsx';
import { Time } from '../common/time.tsx';
import { keyRowId } from './key-row.ts';
import { isLive, KeyState } from './key-state.tsx';
import './keys.css';

interface KeyTableProps {
  readonly keys: readonly KeyInfo[];
  readonly onRename: (key: KeyInfo) => void;
  readonly onRotate: (key: KeyInfo) => void;
  readonly onRevoke: (key: KeyInfo) => void;
}

const COLUMNS = ['Key', 'State', 'Created', 'Last used', 'Change'] as const;

export function KeyTable({ keys, ...actions }: KeyTableProps) {
  return (
    <Table className="stacked keys" role="table" verticalSpacing="sm" aria-label="Your keys">
      <StackedHead columns={COLUMNS} />
      <Table.Tbody role="rowgroup">
        {useRowsInSteps(keys).map((key) => (
          <KeyRow key={key.id} value={key} {...actions} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The id of the button that opens the dialog to revoke a key. */
export function revokeButtonId(id: string): string {
  return `revoke-${id}`;
}

interface KeyRowProps extends Omit<KeyTableProps, 'keys'> {
  readonly value: KeyInfo;
}

function KeyRow({ value, ...actions }: KeyRowProps) {
  // With a filter, a row disappears when its key is revoked.
  const row = useFocusAfterwards<HTMLTableRowElement>();
  return (
    <Table.Tr ref={row} role="row" id={keyRowId(value.id)} tabIndex={-1}>
      <Table.Td role="cell" data-label="Key">
        <KeyName value={value} />
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
        <KeyActions value={value} {...actions} />
      </Table.Td>
    </Table.Tr>
  );
}

function KeyName({ value }: { readonly value: KeyInfo }) {
  const { name, prefix, lastFour, environment, simulate, predecessor, successor } = value;
  return (
    <div>
      <Text size="sm" fw={600} className="address">
        {name}
      </Text>
      <Text size="xs" ff="monospace" c="dimmed" className="nowrap">
        {prefix}…{lastFour}
      </Text>
      <Text size="xs" c="dimmed" className="address">
        {environment}
        {value.isTemporary && ', temporary, made to try the API'}
        {simulate !== null && `, simulates ${simulate}`}
      </Text>
      {predecessor && <RotatedKey relation="Replaces" value={predecessor} />}
      {successor && <RotatedKey relation="Replaced by" value={successor} />}
    </div>
  );
}

/** A link to the row of another key, which may be on a page that is not shown yet. */
function RotatedKey({ relation, value }: { readonly relation: string; readonly value: KeyLink }) {
  return (
    <Text size="xs" c="dimmed">
      {relation}{' '}
      <Anchor
        href={`#${keyRowId(value.id)}`}
        size="xs"
        underline="always"
        onClick={() => document.getElementById(keyRowId(value.id))?.focus()}
      >
        (…{value.lastFour})
      </Anchor>
    </Text>
  );
}

function KeyActions({ value, onRename, onRotate, onRevoke }: KeyRowProps) {
  const suspension = useSuspension();
  // A suspended account can revoke keys, but not change them.
  const change = { disabled: suspension !== undefined, title: suspension };
  return (
    <Group gap={6} className="key-actions">
      <Button
        size="compact-sm"
        variant="default"
        flex="none"
        aria-label={`Rename ${value.name}`}
        {...change}
        onClick={() => onRename(value)}
      >
        Rename
      </Button>
      {isLive(value) && (
        <>
          <Button
            size="compact-sm"
            variant="default"
            flex="none"
            aria-label={`Rotate ${value.name}`}
            {...change}
            onClick={() => onRotate(value)}
          >
            Rotate
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            flex="none"
            c="var(--mantine-color-error)"
            id={revokeButtonId(value.id)}
            aria-label={`Revoke ${value.name}`}
            onClick={() => onRevoke(value)}
          >
            Revoke
          </Button>
        </>
      )}
    </Group>
  );
}
