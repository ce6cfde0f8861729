import { connect, type Socket } from 'node:net';
import { eventually } from '../support/harness.ts';

/** A request that stays in flight until `finish`, because its body is incomplete. */
export class Upload implements Disposable {
  readonly #socket: Socket;
  readonly #rest: string;
  #received = '';
  #closed = false;

  private constructor(socket: Socket, rest: string) {
    this.#socket = socket;
    this.#rest = rest;
    socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString();
    });
    socket.on('close', () => {
      this.#closed = true;
    });
    socket.on('error', () => {});
  }

  /** Starts to add a pet. Resolves once the service has read the beginning of the request. */
  static async start(port: number, key: string): Promise<Upload> {
    const socket = connect(port, '127.0.0.1');
    const body = '{"name":"Biscuit","categoryId":7}';
    const upload = new Upload(socket, body.slice(5));
    // The service answers "100 Continue" when it has read the headers and waits for the body.
    const head = [
      'POST /v1/pets HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`);
    await eventually(() => upload.#received.includes('100 Continue'));
    return upload;
  }

  /** Whether the service has closed the connection. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Sends the rest of the body; returns all received text. */
  async finish(): Promise<string> {
    this.#socket.write(this.#rest);
    await eventually(() => this.#closed || this.#received.includes('"id":'));
    return this.#received;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}
