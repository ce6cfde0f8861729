import { Transform, type TransformCallback } from 'node:stream';

/** The requests of a JSON-RPC client that were read and are not answered yet. */
export class OpenRequests {
  readonly #ids = new Set<string>();
  #answered = Promise.withResolvers<void>();

  /** Notes a message of the client, one line of JSON. */
  noteReceived(line: string): void {
    const { id, method, params } = fieldsOf(line);
    if (method === 'notifications/cancelled') this.#close(Object(params).requestId);
    else if (id !== undefined && method !== undefined) this.#ids.add(JSON.stringify(id));
  }

  /** Passes on what is sent to the client, and notes the replies. */
  passReplies(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done: TransformCallback) => {
        for (const line of String(chunk).split('\n')) this.#close(fieldsOf(line).id);
        done(null, chunk);
      },
    });
  }

  /** Resolves once every request is answered or cancelled, or after `giveUp`. */
  async answered(): Promise<void> {
    if (this.#ids.size > 0) await this.#answered.promise;
  }

  /** Called when no reply can be sent any more. */
  giveUp(): void {
    this.#ids.clear();
    this.#answered.resolve();
  }

  #close(id: unknown): void {
    if (this.#ids.delete(JSON.stringify(id)) && this.#ids.size === 0) {
      this.#answered.resolve();
      this.#answered = Promise.withResolvers();
    }
  }
}

/** The fields of a message; none for invalid JSON. */
function fieldsOf(line: string): { id?: unknown; method?: unknown; params?: unknown } {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}
