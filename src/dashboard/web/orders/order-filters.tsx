import { Button, Group, NativeSelect } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { ENVIRONMENTS } from '../../../core/environments.ts';
import { ORDER_STATUSES } from '../../../core/orders/orders.ts';
import { ENVIRONMENT_TITLES } from '../common/format.ts';
import { addressQuery, type OrderView } from './order-view.ts';

const ENVIRONMENT_CHOICES = ENVIRONMENTS.map((value) => ({
  value,
  label: ENVIRONMENT_TITLES[value],
}));

const STATUS_CHOICES = [
  { value: '', label: 'All' },
  ...ORDER_STATUSES.map((value) => ({ value, label: value })),
];

interface OrderFiltersProps {
  readonly view: OrderView;
  readonly onChange: (part: Partial<OrderView>) => void;
}

/** Chooses which orders are listed. */
export function OrderFilters({ view, onChange }: OrderFiltersProps) {
  return (
    <Group gap="sm" align="flex-end">
      <NativeSelect
        label="Environment"
        data={ENVIRONMENT_CHOICES}
        value={view.environment}
        onChange={({ currentTarget: { value } }) => {
          const environment = ENVIRONMENTS.find((each) => each === value);
          if (environment) onChange({ environment });
        }}
      />
      <NativeSelect
        label="Status"
        data={STATUS_CHOICES}
        value={view.status}
        onChange={({ currentTarget: { value } }) =>
          onChange({ status: ORDER_STATUSES.find((each) => each === value) ?? '' })
        }
      />
    </Group>
  );
}

interface OrderPagesProps {
  readonly view: OrderView;
  /** Where the next page begins; `null` on the last one. */
  readonly next: number | null;
}

/** The links to the first page and to the next one. */
export function OrderPages({ view, next }: OrderPagesProps) {
  const [path] = useLocation();
  if (view.before === '' && next === null) return null;
  const to = (before: string) => `${path}${addressQuery({ ...view, before })}`;
  return (
    <Group component="nav" gap="sm" justify="center" aria-label="Pages of orders">
      {view.before !== '' && (
        <Button component={Link} href={to('')} variant="default">
          Latest orders
        </Button>
      )}
      {next !== null && (
        <Button component={Link} href={to(String(next))} variant="default">
          Older orders
        </Button>
      )}
    </Group>
  );
}
