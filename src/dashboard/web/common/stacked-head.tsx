import { Table } from '@mantine/core';

/**
 * The head of a table that the style sheet turns into cards. The explicit roles keep it accessible
 * there.
 */
export function StackedHead({ columns }: { readonly columns: readonly string[] }) {
  return (
    <Table.Thead role="rowgroup">
      <Table.Tr role="row">
        {columns.map((name) => (
          <Table.Th key={name} role="columnheader" scope="col">
            {name}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
  );
}
