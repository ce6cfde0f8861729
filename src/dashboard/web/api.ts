import { notifications } from '@mantine/notifications';
import {
  MutationCache,
  QueryCache,
  QueryClient,
  type UseMutationOptions,
  type UseQueryResult,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { createContext, use, useRef } from 'react';
import type { SessionInfo } from '../shared/api.ts';
import { forgetDraftsOfOthers } from './common/draft-store.ts';
import { basePath } from './page-settings.ts';
import { temporaryKeyOf } from './reference/temporary-key.ts';

/** The title of a refusal for too many requests or attempts. */
export const TOO_MANY_TITLE = 'That was too much at once';

/** How long the reply with a new cookie may arrive after the end of the old one is noticed, in ms. */
const COOKIE_PAUSE = 500;

/** Change of the difference between two clocks that nobody notices, in ms. */
const STEADY = 500;

/** Delay before a failed query is repeated automatically, in ms. */
const RECOVERY = 5_000;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * A failed call: the message of the error reply, or `unreachable` with status 0 if there was no
 * reply.
 */
export class CallError extends Error {
  constructor(
    readonly status: number,
    /** A `DashboardErrorCode`, or `unreachable`. */
    readonly code: string,
    message: string,
    /** The wait before the next call after a 429, in ms. */
    readonly waitFor = 0,
  ) {
    super(message);
    this.name = 'CallError';
  }
}

/**
 * Calls the dashboard's API; `path` begins after /api. Returns `undefined` for a reply without a
 * body.
 * @throws CallError if the reply is not 2xx, or if there is none.
 */
export async function call<T>(method: Method, path: string, body?: unknown): Promise<T> {
  const response = await send(method, path, body);
  const json = await readJson(response);
  if (!response.ok) throw errorOf(response, json);
  // The server's replies have the types of shared/api.ts, which is compiled with these pages.
  return json as T;
}

/** Whether a call failed with this code. */
export function failedWith(error: unknown, code: string): boolean {
  return error instanceof CallError && error.code === code;
}

async function send(method: Method, path: string, body: unknown): Promise<Response> {
  const init: RequestInit = { method, headers: { accept: 'application/json' }, cache: 'no-store' };
  if (method !== 'GET') {
    init.headers = { ...init.headers, 'content-type': 'application/json' };
    init.body = JSON.stringify(body ?? {});
  }
  try {
    return await fetch(`${basePath}/api${path}`, init);
  } catch {
    throw new CallError(0, 'unreachable', 'The service did not answer. Check your connection.');
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new CallError(response.status, 'failed', 'The service answered something unexpected.');
  }
}

function errorOf({ status, headers }: Response, json: unknown): CallError {
  const { code, message } = Object(json);
  return new CallError(
    status,
    typeof code === 'string' ? code : 'failed',
    typeof message === 'string' ? message : `The service answered ${status}.`,
    // A proxy may send a date.
    status === 429 ? Number(headers.get('retry-after')) * 1_000 || 0 : 0,
  );
}

/** Whether the service refused a call, and would refuse the same call again. */
export function isFinal(error: unknown): boolean {
  if (!(error instanceof CallError)) return false;
  const { status } = error;
  return status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}

/** Whether a call failed because of any rate limit. */
export function isTooMany(error: unknown): error is CallError {
  return error instanceof CallError && error.status === 429;
}

/**
 * The pages' query client: retries only where that can help, notices the end of a session, and
 * shows a notice when a page cannot be refreshed because of a rate limit.
 */
export function createQueryClient(): QueryClient {
  const onError = (error: unknown) => {
    const isOutdated = ['signed_out', 'suspended'].some((code) => failedWith(error, code));
    if (isOutdated) void client.invalidateQueries({ queryKey: SESSION });
  };
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError(error, { state }) {
        onError(error);
        // Without data the page itself shows the error.
        if (state.data !== undefined && isTooMany(error)) showTooMany(error);
      },
    }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && mayPass(error),
        // While another component shows the failure, one more must not repeat the query: a page that waits for the
        // query would wait again, drop that component, show it again with the next failure, and so on for ever.
        retryOnMount: (query) => query.getObserversCount() <= 1,
        refetchOnWindowFocus: true,
        refetchInterval: ({ state }) => recoveryIn(state.error),
        // A service on the same machine is reachable while the browser is offline.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}

function showTooMany({ message, waitFor }: CallError): void {
  notifications.show({
    id: 'too-many-requests',
    color: 'red',
    title: TOO_MANY_TITLE,
    message: `${message} This page is not up to date until then.`,
    autoClose: waitFor,
  });
}

/**
 * The delay (ms) after which a failed query is repeated automatically; `false` if that cannot help.
 */
function recoveryIn(error: unknown): number | false {
  if (isTooMany(error)) return Math.max(RECOVERY, error.waitFor);
  return mayPass(error) && RECOVERY;
}

function mayPass(error: unknown): boolean {
  return error instanceof CallError && (error.status === 0 || error.status === 503);
}

/**
 * A mutation that runs once at a time: starting it again while it runs has no effect. After `reset` it can be started
 * again, although the queries of the page may still be loading for the run before.
 */
export function useAction<Data, Variables = void>(
  options: UseMutationOptions<Data, Error, Variables>,
) {
  const mutation = useMutation(options);
  // Not `isPending`: a second click may come before React has rendered it.
  const running = useRef<Promise<Data>>(undefined);
  const mutate = (variables: Variables): void => {
    if (running.current !== undefined) return;
    const run = mutation.mutateAsync(variables);
    running.current = run;
    const end = () => {
      if (running.current === run) running.current = undefined;
    };
    run.then(end, end);
  };
  const reset = (): void => {
    running.current = undefined;
    mutation.reset();
  };
  return { ...mutation, mutate, reset };
}

/** The key of the session's query. Invalidate it after signing in or out. */
export const SESSION = ['session'] as const;

export interface SessionState extends SessionInfo {
  /** How far the service's clock is ahead of the reader's, in ms. */
  readonly ahead: number;
  /** Whether the session ended other than by signing out here. */
  readonly hasEnded: boolean;
  /** Whether the person is signing in or out here. */
  readonly isLeaving?: boolean;
}

/** Provides the session to all pages, whose lists use it in every row. */
export const SessionContext = createContext<UseQueryResult<SessionState> | undefined>(undefined);

/** The signed-in user, and the addresses of the service. */
export function useSession(): UseQueryResult<SessionState> {
  const session = use(SessionContext);
  if (!session) throw new Error('Only within the application.');
  return session;
}

/** Loads the session, and keeps it up to date. Only for the application itself. */
export function useSessionQuery(): UseQueryResult<SessionState> {
  return useQuery({
    queryKey: SESSION,
    async queryFn({ client, signal }): Promise<SessionState> {
      const earlier = client.getQueryData<SessionState>(SESSION);
      const info = await loadSession(earlier);
      // A later question took its place. Forgetting data before its answer would show the pages anew, without drafts.
      signal.throwIfAborted();
      const before = client.getQueryData<SessionState>(SESSION);
      if (before?.account?.id !== info.account?.id) forgetOthers(client);
      if (info.account) forgetDraftsOfOthers(info.account.id);
      // Removes the temporary key of somebody else.
      temporaryKeyOf(info.account?.id);
      return { ...info, ...clockOf(info, before), hasEnded: hasEnded(before, info) };
    },
    // Every page uses it; a change in another window is noticed when the focus returns.
    staleTime: 60_000,
    refetchOnWindowFocus: 'always',
  });
}

/** The clock as in the earlier reply, unless it has changed: with another one, all pages would be rendered again. */
function clockOf({ now }: SessionInfo, before: SessionState | undefined) {
  const ahead = now - Date.now();
  const isSteady = before !== undefined && Math.abs(before.ahead - ahead) < STEADY;
  return isSteady ? { now: before.now, ahead: before.ahead } : { now, ahead };
}

/**
 * The session as the service knows it. Another page of this browser may just have replaced the
 * cookie, so a session that seems to have ended is asked for once more.
 */
async function loadSession(before: SessionState | undefined): Promise<SessionInfo> {
  const info = await call<SessionInfo>('GET', '/session');
  if (!before?.account || !hasEnded(before, info)) return info;
  await new Promise((resolve) => setTimeout(resolve, COOKIE_PAUSE));
  return call<SessionInfo>('GET', '/session');
}

/** Removes the data of the account that was signed in before. */
function forgetOthers(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
}

function hasEnded(before: SessionState | undefined, next: SessionInfo): boolean {
  if (!before || next.account || before.isLeaving) return false;
  return before.hasEnded || before.account !== null;
}
