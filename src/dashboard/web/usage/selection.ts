import { useAddress } from '../common/address.ts';

/** The periods that end now, by their name in the address and in the API. */
export const PRESETS = [
  { value: '24h', label: '24 hours' },
  { value: '72h', label: '72 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: 'custom', label: 'From–to' },
] as const;
export type Preset = (typeof PRESETS)[number]['value'];

const NAMES = ['environment', 'key', 'operation', 'last', 'from', 'to'] as const;
type Name = (typeof NAMES)[number];

/** The selection of requests. It is part of the page's address, so that it can be shared. */
export interface Selection {
  readonly preset: Preset;
  /** The selected value of a name; empty for all. */
  get(name: Name): string;
  /**
   * Changes some of the values; an empty value selects all.
   * @param typedIn the field in which the value is being typed.
   */
  set(values: Partial<Readonly<Record<Name, string>>>, typedIn?: Name): void;
  /** As the query of the API. */
  readonly query: string;
}

export function useSelection(): Selection {
  const { parameters, change } = useAddress();
  const get = (name: Name) => parameters.get(name) ?? '';
  const chosen = PRESETS.find(({ value }) => value === get('last'))?.value;
  const preset = get('from') !== '' || get('to') !== '' ? 'custom' : (chosen ?? '24h');
  return {
    preset,
    get,
    query: queryOf(get),
    // All of them, so that they are always in the same order.
    set(values, typedIn) {
      const all = NAMES.map((name) => [name, values[name] ?? get(name)]);
      change(Object.fromEntries(all), typedIn);
    },
  };
}

function queryOf(get: (name: Name) => string): string {
  const chosen = NAMES.map((name) => [name, get(name)]).filter(([, value]) => value !== '');
  return new URLSearchParams(chosen).toString();
}

/**
 * The period before a ban that contains the requests that led to it, in ms: a minute's window plus
 * the grace period.
 */
export const BEFORE_BAN = 65_000;

/** A filter for the request log. Times are epoch ms. */
interface Logged {
  /** The account, for operators; by default the user's own. */
  readonly account: string | undefined;
  readonly environment?: string;
  readonly key?: string;
  readonly status?: '4xx' | '409' | '429' | '5xx';
  readonly from: number;
  readonly to: number;
}

/** The address of the request log with this filter. */
export function requestsAddress({ from, to, ...filters }: Logged): string {
  const query = new URLSearchParams({
    ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value)),
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  });
  return `/requests?${query}`;
}
