import { useLocation, useSearch } from 'wouter';

/** The periods that end now, by the name that the address and the API have for them. */
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

/** Which requests are shown. It lies in the address of the page, so that it can be sent to others. */
export interface Selection {
  readonly preset: Preset;
  /** What is chosen by a name; empty for everything. */
  get(name: Name): string;
  /** Changes some of it; an empty value chooses everything. */
  set(values: Partial<Readonly<Record<Name, string>>>): void;
  /** As the query of the API. */
  readonly query: string;
}

export function useSelection(): Selection {
  const [location, navigate] = useLocation();
  const parameters = new URLSearchParams(useSearch());
  const get = (name: Name) => parameters.get(name) ?? '';
  const chosen = PRESETS.find(({ value }) => value === get('last'))?.value;
  const preset = get('from') !== '' || get('to') !== '' ? 'custom' : (chosen ?? '24h');
  return {
    preset,
    get,
    query: queryOf(get),
    set(values) {
      const next = queryOf((name) => values[name] ?? get(name));
      navigate(next === '' ? location : `${location}?${next}`, { replace: true });
    },
  };
}

function queryOf(get: (name: Name) => string): string {
  const chosen = NAMES.map((name) => [name, get(name)]).filter(([, value]) => value !== '');
  return new URLSearchParams(chosen).toString();
}

/** How long before a ban the requests that led to it are, in ms: a minute's window and the grace. */
export const BEFORE_BAN = 65_000;

/** What the log of requests is asked for. Times are epoch ms. */
interface Logged {
  /** The account, for operators; otherwise that of whoever is signed in. */
  readonly account: string | undefined;
  readonly environment?: string;
  readonly key?: string;
  readonly status: '4xx' | '429' | '5xx';
  readonly from: number;
  readonly to: number;
}

/** The address of the log of these requests. */
export function requestsAddress({ from, to, ...filters }: Logged): string {
  const query = new URLSearchParams({
    ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value)),
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  });
  return `/requests?${query}`;
}
