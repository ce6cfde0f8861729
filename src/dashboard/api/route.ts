import type { OperationId } from '../../api/operations.ts';
import type { Account } from '../../core/accounts/accounts.ts';
import type { Endpoint } from '../../http/target/router.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import type { LiveChannel } from '../live/live-channel.ts';
import type { DashboardOptions } from '../options.ts';
import type { Session, SignIn } from '../session.ts';

/** One request to the dashboard's API. */
export interface RequestContext {
  readonly options: DashboardOptions;
  readonly request: Request;
  readonly query: URLSearchParams;
  /** The path parameter `{id}`; empty where the path has none. */
  readonly id: string;
  /** The client's address; IPv6 addresses of one /64 network share one. */
  readonly address: string;
  /** `undefined` for a visitor who is not signed in. */
  readonly session: Session | undefined;
  readonly live: LiveChannel;
  /** The sign-in module, which is loaded at the first call. */
  signIn(): Promise<SignIn>;
}

/** A request of a user who is signed in and allowed to send it. */
export interface AccountContext extends RequestContext {
  readonly account: Account;
  readonly session: Session;
}

/** An operation of the dashboard's API, below /api. `handle` may throw ApiError. */
export type Route = Endpoint & {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The operation of the public API that it offers as well: it is absent where that is not served. */
  readonly operation?: OperationId;
  /** Whether a reply renews the session. */
  readonly renews?: true;
} & (
    | { readonly access: 'everyone'; handle(context: RequestContext): Awaitable<Response> }
    | {
        readonly access: 'account' | 'operator';
        /** Whether it requires a recent sign-in. */
        readonly isSensitive?: true;
        /** Whether it protects an account, so that operators may use it without a second factor. */
        readonly isProtecting?: true;
        handle(context: AccountContext): Awaitable<Response>;
      }
  );
