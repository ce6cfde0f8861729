import type { Account } from '../../core/accounts.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import type { DashboardOptions } from '../options.ts';
import type { Session } from '../session.ts';

/** One request to the dashboard's API. */
export interface Visit {
  readonly options: DashboardOptions;
  readonly request: Request;
  readonly query: URLSearchParams;
  /** What `{id}` of the route's path stands for; empty where the path has none. */
  readonly id: string;
  /** None for a visitor. */
  readonly session: Session | undefined;
}

/** A request of somebody who may send it. */
export interface Call extends Visit {
  /** Of the person who is signed in. */
  readonly account: Account;
}

interface Place {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below /api; `{id}` stands for one segment. */
  readonly path: string;
  /** Whether an answer prolongs the session. */
  readonly renews?: true;
}

/** What is answered at one place, and to whom. `answer` may throw Refused or StorageUnavailable. */
export type Route = Place &
  (
    | { readonly access: 'everyone'; answer(visit: Visit): Awaitable<Response> }
    | {
        /** `recent` asks for a sign-in that is not long ago. */
        readonly access: 'account' | 'recent' | 'operator';
        answer(call: Call): Awaitable<Response>;
      }
  );
