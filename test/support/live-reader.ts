import type { LiveTopic } from '../../src/dashboard/shared/live.ts';
import type { Visitor } from './dashboard-visitor.ts';
import { eventually } from './harness.ts';

/** A client of the live channel, such as an open page. */
export class LiveReader implements AsyncDisposable {
  readonly reply: Response;
  readonly #abort: AbortController;
  /** Every received topic, in order. */
  readonly topics: LiveTopic[] = [];
  /** The bytes of the stream as text. */
  text = '';
  hasEnded = false;
  readonly #finished: Promise<void>;

  private constructor(reply: Response, abort: AbortController) {
    this.reply = reply;
    this.#abort = abort;
    this.#finished = this.#read()
      .catch(() => undefined)
      .finally(() => {
        this.hasEnded = true;
      });
  }

  /**
   * @param dashboardUrl of the service, or of a proxy in front of it.
   * @param more headers of the request.
   */
  static async open(
    visitor: Visitor,
    dashboardUrl: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<LiveReader> {
    const abort = new AbortController();
    const headers = { Cookie: visitor.cookie, Accept: 'text/event-stream', ...more };
    const reply = await fetch(`${dashboardUrl}/api/live`, { headers, signal: abort.signal });
    return new LiveReader(reply, abort);
  }

  /** Waits for a new message with this topic. */
  async next(topic: LiveTopic): Promise<void> {
    await eventually(() => this.topics.includes(topic));
    this.topics.length = 0;
  }

  async ended(): Promise<void> {
    await eventually(() => this.hasEnded);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#finished;
  }

  async #read(): Promise<void> {
    let waiting = '';
    if (!this.reply.body) return;
    for await (const chunk of this.reply.body.pipeThrough(new TextDecoderStream())) {
      this.text += chunk;
      waiting += chunk;
      const events = waiting.split('\n\n');
      waiting = events.pop() ?? '';
      for (const event of events) this.topics.push(...topicsOf(event));
    }
  }
}

function topicsOf(event: string): LiveTopic[] {
  const data = /^data: (.*)$/m.exec(event)?.[1];
  return data === undefined ? [] : JSON.parse(data);
}
