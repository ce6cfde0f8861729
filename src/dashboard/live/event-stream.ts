import { UNCACHED } from '../errors.ts';
import { LIVE_EVENT, type LiveTopic } from '../shared/live.ts';

const ENCODER = new TextEncoder();

/** Maximum number of unread events; a slower reader is disconnected. */
const MOST_WAITING = 64;

/** A streamed reply that stays open and sends topics. */
export class EventStream {
  readonly reply: Response;
  readonly #ended: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  /** @param ended called once, when either side has ended the stream. */
  constructor({ signal }: Request, ended: () => void) {
    this.#ended = ended;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
        // The reply's headers leave with its first bytes.
        controller.enqueue(eventOf([]));
      },
      cancel: () => this.#forget(),
    });
    signal.addEventListener('abort', () => this.end());
    this.reply = new Response(body, {
      headers: {
        ...UNCACHED,
        'Content-Type': 'text/event-stream',
        // Keeps nginx from buffering the events.
        'X-Accel-Buffering': 'no',
      },
    });
  }

  send(topics: readonly LiveTopic[]): void {
    if (!this.#controller) return;
    if ((this.#controller.desiredSize ?? 0) < -MOST_WAITING) this.end();
    else this.#controller.enqueue(eventOf(topics));
  }

  /** Ends the reply; the connection may serve other requests. */
  end(): void {
    const controller = this.#controller;
    this.#forget();
    try {
      controller?.close();
    } catch {
      // The client has disconnected at the same time.
    }
  }

  #forget(): void {
    if (!this.#controller) return;
    this.#controller = undefined;
    this.#ended();
  }
}

function eventOf(topics: readonly LiveTopic[]): Uint8Array {
  return ENCODER.encode(`event: ${LIVE_EVENT}\ndata: ${JSON.stringify(topics)}\n\n`);
}
