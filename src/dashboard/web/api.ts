import {
  MutationCache,
  QueryCache,
  QueryClient,
  type UseMutationOptions,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { useRef } from 'react';
import type { SessionInfo } from '../shared/api.ts';
import { basePath } from './page-settings.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Why a call failed: the refusal's words, or `unreachable` with status 0 when none came. */
export class CallError extends Error {
  constructor(
    readonly status: number,
    /** A `RefusalCode`, or one of ours below /auth. */
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'CallError';
  }
}

/**
 * Calls the dashboard's API; `path` begins after /api. Answers `undefined` where there is no body.
 * @throws CallError on every answer that is not 2xx, and when none comes.
 */
export async function call<T>(method: Method, path: string, body?: unknown): Promise<T> {
  const response = await send(method, path, body);
  const answer = await readJson(response);
  if (!response.ok) throw refusal(response.status, answer);
  // The server's answers are of shared/api.ts, compiled with these pages.
  return answer as T;
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

function refusal(status: number, answer: unknown): CallError {
  const { code, message } = Object(answer);
  return new CallError(
    status,
    typeof code === 'string' ? code : 'failed',
    typeof message === 'string' ? message : `The service answered ${status}.`,
  );
}

/** The pages' query client: asks again only where that can help, and notices a session's end. */
export function createQueryClient(): QueryClient {
  const onError = (error: unknown) => {
    if (failedWith(error, 'signed_out')) void client.invalidateQueries({ queryKey: SESSION });
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && mayPass(error),
        refetchOnWindowFocus: true,
        // What the browser believes of its network says nothing about a service beside it.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}

function mayPass(error: unknown): boolean {
  return error instanceof CallError && (error.status === 0 || error.status === 503);
}

/** A mutation that runs once at a time: whatever starts it again while it is under way is ignored. */
export function useAction<Data, Variables = void>(
  options: UseMutationOptions<Data, Error, Variables>,
) {
  const mutation = useMutation(options);
  // Not isPending: a second click may come before React has rendered that.
  const isUnderWay = useRef(false);
  const mutate = (variables: Variables): void => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    const over = () => {
      isUnderWay.current = false;
    };
    mutation.mutateAsync(variables).then(over, over);
  };
  return { ...mutation, mutate };
}

/** The key of the session's query: invalidate it after signing in or out. */
export const SESSION = ['session'] as const;

export interface SessionState extends SessionInfo {
  /** Milliseconds that the service's clock is ahead of the reader's. */
  readonly ahead: number;
  /** Whether the person was signed in before, and did not end that here. */
  readonly hasEnded: boolean;
  /** Whether the person is ending it here. */
  readonly isLeaving?: boolean;
}

/** Who is signed in, and the addresses of the service. */
export function useSession() {
  return useQuery({
    queryKey: SESSION,
    async queryFn({ client }): Promise<SessionState> {
      const info = await call<SessionInfo>('GET', '/session');
      const before = client.getQueryData<SessionState>(SESSION);
      if (before?.account?.id !== info.account?.id) forgetOthers(client);
      return { ...info, ahead: info.now - Date.now(), hasEnded: hasEnded(before, info) };
    },
    // Every page asks; what happens in other windows is noticed on the way back.
    staleTime: 60_000,
    refetchOnWindowFocus: 'always',
  });
}

/** Nobody sees what was loaded for another account. */
function forgetOthers(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION[0] });
}

function hasEnded(before: SessionState | undefined, next: SessionInfo): boolean {
  if (!before || next.account || before.isLeaving) return false;
  return before.hasEnded || before.account !== null;
}
