import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { LIVE_EVENT, LIVE_PATH, type LiveTopic } from '../../shared/live.ts';
import { isTooMany } from '../api.ts';
import { basePath } from '../page-settings.ts';

/** Interval of polling while there is no connection, in ms. */
const POLL_EVERY = 1_500;
/**
 * Time without an event after which a connection counts as broken, in ms. The service sends an
 * event every four seconds.
 */
const SILENCE = 12_000;
/** Time that a refresh waits for a running change, in ms. */
const CHANGE_PAUSE = 200;
/** The delays before reconnecting, in ms; each is twice the previous one. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;

/**
 * Keeps all queries of the visible page up to date. The first element of a query's key is the topic
 * (`LiveTopic`) that the service sends when the data is outdated; pages need nothing else.
 */
export function useLiveChannel(): void {
  const client = useQueryClient();
  useEffect(() => {
    const channel = new LiveChannel(client);
    const follow = () => {
      // A browser allows few connections to a server, and hidden pages need none.
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
  /** Polls until the first event of a connection. */
  #polling: ReturnType<typeof setInterval> | undefined;
  /** Detects a broken connection, or starts the next attempt. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wait = FIRST_WAIT;
  /** The topics to reload once no change is running. */
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
      // A failing query is retried for longer than the poll interval. Do not interrupt it, so that
      // its error is shown.
      if (isRefused(this.#client) || this.#isBusy()) return;
      void this.#client.invalidateQueries({}, { cancelRefetch: false });
    }, POLL_EVERY);
  }

  #stopPolling(): void {
    clearInterval(this.#polling);
    this.#polling = undefined;
  }

  /**
   * Whether a change is running, or more of a list is being loaded, which a reload would cancel.
   */
  #isBusy(): boolean {
    const isMore = (query: Query) => query.state.fetchMeta?.fetchMore !== undefined;
    return this.#client.isMutating() > 0 || this.#client.isFetching({ predicate: isMore }) > 0;
  }

  /** Waits for changes by this page, such as signing out, and for the loading that follows them. */
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

/** Whether a query of the page must wait because of a rate limit. */
export function isRefused(client: QueryClient): boolean {
  return client
    .getQueryCache()
    .findAll({ type: 'active' })
    .some(({ state: { error, errorUpdatedAt } }) => {
      return isTooMany(error) && Date.now() < errorUpdatedAt + error.waitFor;
    });
}

/** Another version of the service may send other data. */
function topicsFrom(data: unknown): readonly LiveTopic[] {
  const topics: unknown = JSON.parse(String(data));
  return Array.isArray(topics) ? topics : [];
}
