import { useLocation, useSearch } from 'wouter';
import type { Environment } from '../../../core/environments.ts';

type Values = Readonly<Record<string, string>>;

/** The parameter for how many older pages of a list are shown. */
export const OLDER_PAGES = 'older';

export interface Address {
  readonly parameters: URLSearchParams;
  /**
   * Changes parameters of the page's address; an empty value removes one. Back undoes the change. Another list begins
   * with its first page.
   * @param typedIn the field in which the value is being typed: Back undoes all that was typed there at once.
   */
  change(values: Values, typedIn?: string): void;
}

/** The query of the page's address, which contains what the page shows: filters, periods, opened dialogs. */
export function useAddress(): Address {
  const [path, navigate] = useLocation();
  const search = useSearch();
  return {
    parameters: new URLSearchParams(search),
    change(values, typedIn) {
      if (addressWith(path, values) === undefined) return;
      const address = addressWith(path, { [OLDER_PAGES]: '', ...values }) ?? path;
      const isSameField = typedIn !== undefined && Object(window.history.state).typedIn === typedIn;
      navigate(address, {
        replace: isSameField,
        state: typedIn === undefined ? null : { typedIn },
      });
    },
  };
}

/** A view as parameters of a page's address: without an environment it is that of production. */
export function inAddress<View extends { readonly environment?: Environment }>(view: View) {
  return view.environment === 'production' ? { ...view, environment: '' } : view;
}

/** A query with these parameters; empty ones are left out. */
export function queryOf(values: Values): string {
  const given = Object.entries(values).filter(([, value]) => value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** A page's query without filters, but of the same account and environment; empty if it has no filters. */
export function withoutFilters(search: string): string {
  const all = [...new URLSearchParams(search)];
  const kept = all.filter(([name]) => name === 'account' || name === 'environment');
  return kept.length === all.length ? '' : queryOf(Object.fromEntries(kept));
}

/** The present address with these parameters at its end; `undefined` if it has these values. */
export function addressWith(path: string, values: Values): string | undefined {
  // Not that of the last rendering: a pause in typing may end after another change.
  const parameters = new URLSearchParams(window.location.search);
  const changed = Object.entries(values);
  if (changed.every(([name, value]) => (parameters.get(name) ?? '') === value)) return undefined;
  for (const [name] of changed) parameters.delete(name);
  for (const [name, value] of changed) if (value !== '') parameters.append(name, value);
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}
