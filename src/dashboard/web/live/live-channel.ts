import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { LIVE_EVENT, LIVE_PATH, type LiveTopic } from '../../shared/live.ts';
import { isTooMany } from '../api.ts';
import { basePath } from '../page-settings.ts';

/** How often everything that is shown is loaded while there is no connection, in ms. */
const POLL_EVERY = 1_500;
/** A connection without an event for so long is broken, in ms: the service sends one every four seconds. */
const SILENCE = 12_000;
/** How long a refresh waits for a change that is under way, in ms. */
const CHANGE_PAUSE = 200;
/** The waits before connecting again, in ms; each is twice the last one. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;

/**
 * Keeps all queries of the pages up to date while somebody looks at them. The first element of a query's key
 * is the topic that the service names when it is out of date (`LiveTopic`); pages do nothing else for it.
 */
export function useLiveChannel(): void {
  const client = useQueryClient();
  useEffect(() => {
    const channel = new LiveChannel(client);
    const follow = () => {
      // A browser has few connections to a server, and hidden pages need none.
      if (document.visibilityState === 'visible') channel.open();
      else channel.close();
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      channel.close();
    };
  }, [client]);
}

class LiveChannel {
  readonly #client: QueryClient;
  #source: EventSource | undefined;
  /** Loads everything again and again; until the first event of a connection. */
  #polling: ReturnType<typeof setInterval> | undefined;
  /** Until the connection is broken, or is tried again. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wait = FIRST_WAIT;
  /** What is to be loaded again once no change is under way. */
  readonly #outdated = new Set<LiveTopic>();
  #delay: ReturnType<typeof setTimeout> | undefined;

  constructor(client: QueryClient) {
    this.#client = client;
  }

  open(): void {
    if (this.#source) return;
    const source = new EventSource(`${basePath}/api${LIVE_PATH}`);
    this.#source = source;
    this.#poll();
    this.#expectEvent();
    source.onerror = () => this.#tryAgain();
    source.addEventListener(LIVE_EVENT, ({ data }) => {
      this.#stopPolling();
      this.#wait = FIRST_WAIT;
      this.#expectEvent();
      for (const topic of topicsFrom(data)) this.#refresh(topic);
    });
  }

  close(): void {
    this.#source?.close();
    this.#source = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#delay);
    this.#outdated.clear();
    this.#stopPolling();
  }

  #expectEvent(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tryAgain(), SILENCE);
  }

  #tryAgain(): void {
    this.close();
    this.#poll();
    this.#refresh('session');
    this.#timer = setTimeout(() => this.open(), this.#wait);
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
  }

  #poll(): void {
    this.#polling ??= setInterval(() => {
      // What fails is tried again for longer than this, and is to be seen to fail.
      if (this.#isRefused() || this.#isBusy()) return;
      void this.#client.invalidateQueries({}, { cancelRefetch: false });
    }, POLL_EVERY);
  }

  #stopPolling(): void {
    clearInterval(this.#polling);
    this.#polling = undefined;
  }

  /** Whether a query is to wait, because there were too many requests. */
  #isRefused(): boolean {
    return this.#client
      .getQueryCache()
      .findAll({ type: 'active' })
      .some(({ state: { error, errorUpdatedAt } }) => {
        return isTooMany(error) && Date.now() < errorUpdatedAt + error.waitFor;
      });
  }

  /** Whether the page changes something, or loads more of a list, which loading again would cancel. */
  #isBusy(): boolean {
    const isMore = (query: Query) => query.state.fetchMeta?.fetchMore !== undefined;
    return this.#client.isMutating() > 0 || this.#client.isFetching({ predicate: isMore }) > 0;
  }

  /** Waits for changes by this page, such as signing out, and for what the page loads after them. */
  #refresh(topic: LiveTopic): void {
    this.#outdated.add(topic);
    clearTimeout(this.#delay);
    if (this.#isBusy()) {
      this.#delay = setTimeout(() => this.#refresh(topic), CHANGE_PAUSE);
      return;
    }
    const topics = [...this.#outdated];
    this.#outdated.clear();
    for (const each of topics) {
      void this.#client.invalidateQueries(each === 'everything' ? {} : { queryKey: [each] });
    }
  }
}

/** The service of another version may send something else. */
function topicsFrom(data: unknown): readonly LiveTopic[] {
  const topics: unknown = JSON.parse(String(data));
  return Array.isArray(topics) ? topics : [];
}
