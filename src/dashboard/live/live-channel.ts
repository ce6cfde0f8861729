import type { Change } from '../../core/changes.ts';
import { MINUTE, SECOND } from '../../lib/clock.ts';
import { timerScheduler } from '../../lib/scheduler.ts';
import { DashboardError } from '../errors.ts';
import type { DashboardOptions } from '../options.ts';
import type { Session, SignIn } from '../session.ts';
import type { LiveTopic } from '../shared/live.ts';
import { type Activity, activityOf, changedTopics } from './activity.ts';
import { EventStream } from './event-stream.ts';
import { PetActivity } from './pet-activity.ts';

/** Concurrent connections. A browser opens at most six to a server, and needs some for requests. */
const MOST_OF_SESSION = 4;
const MOST_OF_ACCOUNT = 16;
/** Of one client address, so that one person with many accounts cannot take those of everyone. */
const MOST_OF_ADDRESS = 50;
const MOST = 500;

/** Interval of the checks for changes by requests and for ended sessions, in ms. */
const LOOK_EVERY = SECOND;
/** Interval of events, sent even without topics, in ms: connections count as idle after 10 s. */
const BEAT_EVERY = 4 * SECOND;
/**
 * Maximum lifetime of a connection, in ms; the session is checked completely when the page
 * reconnects.
 */
const LASTS = 5 * MINUTE;

/** `Retry-After` of a refused connection, in seconds. */
const RETRY_AFTER = '10';

/** The connection of an open page. */
interface Connection {
  session: Session;
  /** The client's address. */
  readonly address: string;
  readonly headers: Headers;
  readonly stream: EventStream;
  /** On the clock's `elapsed` reading. */
  readonly endsAt: number;
  /** The activity that was last reported to the page. */
  activity: Activity | undefined;
}

/**
 * Tells open pages what to reload. Changes come from the change feed, except those by requests,
 * which are polled once a second for the accounts with an open page.
 */
export class LiveChannel {
  readonly #options: DashboardOptions;
  readonly #signIn: () => Promise<SignIn>;
  readonly #pets: PetActivity;
  readonly #connections = new Set<Connection>();
  /** Stops listening to the change feed; set only while there are connections. */
  #unfollow: (() => Promise<void>) | undefined;
  #isClosed = false;

  constructor(options: DashboardOptions, signIn: () => Promise<SignIn>) {
    this.#options = options;
    this.#signIn = signIn;
    this.#pets = new PetActivity(options);
  }

  /**
   * The event stream for the page that sent a request.
   * @param address of the client; IPv6 addresses of one /64 network share one.
   * @throws ApiError `rate_limited` if there are too many connections.
   */
  open(request: Request, session: Session, address: string): Response {
    this.#requireRoom(session, address);
    const stream = new EventStream(request, () => this.#forget(connection));
    const connection: Connection = {
      session,
      address,
      headers: new Headers(request.headers),
      stream,
      endsAt: this.#options.clock.now().elapsed + LASTS,
      activity: undefined,
    };
    this.#connections.add(connection);
    this.#unfollow ??= this.#follow();
    // The client has disconnected before the stream was open: no event tells of that.
    if (request.signal.aborted) stream.end();
    return stream.reply;
  }

  /** Ends all connections. @param isLast whether new connections are refused from now on. */
  end(isLast: boolean): void {
    this.#isClosed ||= isLast;
    for (const { stream } of [...this.#connections]) stream.end();
  }

  #requireRoom({ id, account }: Session, address: string): void {
    const all = [...this.#connections];
    if (this.#isClosed || all.length >= MOST) {
      throw noRoom('No live connection is free. Try again in a moment.');
    }
    const ofAccount = all.filter(({ session }) => session.account.id === account.id);
    const ofSession = ofAccount.filter(({ session }) => session.id === id);
    if (ofSession.length >= MOST_OF_SESSION || ofAccount.length >= MOST_OF_ACCOUNT) {
      throw noRoom('Too many pages are open. Close some of them.');
    }
    if (all.filter((each) => each.address === address).length < MOST_OF_ADDRESS) return;
    throw noRoom(
      'Too many pages are open at your network address. This page asks for news by itself.',
    );
  }

  #follow(): () => Promise<void> {
    const unfollow = this.#options.followChanges((changes) => this.#apply(changes));
    // In real time even if the service runs on another clock: idle connections are cut in real
    // time.
    const stop = timerScheduler.repeat({
      name: 'update live pages',
      interval: LOOK_EVERY,
      run: () => this.#look(),
    });
    const beat = setInterval(() => {
      for (const { stream } of [...this.#connections]) stream.send([]);
    }, BEAT_EVERY);
    return async () => {
      unfollow();
      clearInterval(beat);
      await stop();
    };
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    void this.#unfollow?.();
    this.#unfollow = undefined;
  }

  /** Sends changes of the change feed to the connections that they concern. */
  #apply(changes: readonly Change[] | 'everything'): void {
    const changed = changes === 'everything' ? undefined : new Set(changes.map(({ id }) => id));
    const concernsAll =
      changes === 'everything' || changes.some(({ kind }) => kind === 'environment');
    for (const connection of [...this.#connections]) {
      const { account } = connection.session;
      if (concernsAll || changed?.has(account.id)) void this.#update(connection);
      else if (account.role === 'operator') connection.stream.send(['operator']);
    }
  }

  /** Ends the connection if the session no longer exists; otherwise refreshes its account. */
  async #update(connection: Connection): Promise<void> {
    const { stream, headers } = connection;
    try {
      const session = await (await this.#signIn()).session(headers);
      if (!session) return stream.end();
      connection.session = session;
    } catch (error) {
      this.#options.log.error({ err: error }, 'live page not updated');
    }
    stream.send(['everything']);
  }

  async #look(): Promise<void> {
    try {
      await this.#endSessions();
      const byAccount = Map.groupBy(this.#connections, ({ session }) => session.account.id);
      if (byAccount.size === 0) return;
      const pets = await this.#pets.read();
      for (const ofAccount of byAccount.values()) await this.#sendActivity(ofAccount, pets);
    } catch (error) {
      this.#options.log.error({ err: error }, 'live pages not updated');
    }
  }

  async #endSessions(): Promise<void> {
    const all = [...this.#connections];
    const sessions = all.map(({ session }) => session.id);
    const live = await (await this.#signIn()).liveSessions([...new Set(sessions)]);
    const { elapsed } = this.#options.clock.now();
    for (const { session, stream, endsAt } of all) {
      if (!live.has(session.id) || endsAt <= elapsed) stream.end();
    }
  }

  async #sendActivity(ofAccount: readonly Connection[], pets: string): Promise<void> {
    const [first] = ofAccount;
    if (!first) return;
    const activity = await activityOf(first.session, this.#options, pets);
    for (const connection of ofAccount) {
      const topics: readonly LiveTopic[] = changedTopics(connection.activity, activity);
      connection.activity = activity;
      if (topics.length > 0) connection.stream.send(topics);
    }
  }
}

/** Pages then poll, and try to connect again. */
function noRoom(message: string) {
  return new DashboardError('rate_limited', message, { headers: { 'Retry-After': RETRY_AFTER } });
}
