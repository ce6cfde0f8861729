import { connect, createServer, type Server, type Socket } from 'node:net';

/** Sends the data of a client to the server by `send`, immediately or later. */
type Pass = (data: string | Uint8Array, client: Socket, send: () => void) => void;

/** Forwards bytes to a server, and its replies, until it is cut; then connections stay open, but nothing is forwarded. */
export class CuttableLink implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: number;
  #isCut = false;

  private constructor(target: number, delay: number, pass: Pass) {
    this.#target = target;
    const passLater: Pass = (_data, _client, send) => void setTimeout(send, delay);
    this.#server = createServer((near) => {
      const far = connect(this.#target, '127.0.0.1');
      for (const [from, to, handle] of [
        [near, far, pass],
        [far, near, delay > 0 ? passLater : passNow],
      ] as const) {
        this.#sockets.add(from);
        from.on('data', (data) => handle(data, near, () => void (this.#isCut || to.write(data))));
        from.on('error', () => {});
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      }
    });
  }

  /**
   * @param target port of a server on this machine.
   * @param delay by which its replies arrive later, in ms.
   * @param pass decides when data of a client is forwarded; by default immediately.
   */
  static async to(target: number, delay = 0, pass = passNow): Promise<CuttableLink> {
    const link = new CuttableLink(target, delay, pass);
    const { promise, resolve } = Promise.withResolvers<void>();
    link.#server.listen(0, '127.0.0.1', resolve);
    await promise;
    return link;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('It does not listen.');
    return address.port;
  }

  cut(): void {
    this.#isCut = true;
  }

  /** Forwards new connections again; earlier ones are closed. */
  mend(): void {
    this.#isCut = false;
    this.#drop();
  }

  /** Forwards to another server from now on. */
  pointAt(target: number): void {
    this.#target = target;
    this.#drop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#drop();
    this.#server.close();
  }

  #drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

const passNow: Pass = (_data, _client, send) => send();
