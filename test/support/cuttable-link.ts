import { connect, createServer, type Server, type Socket } from 'node:net';

/** Forwards bytes to a server, and its replies, until it is cut; then connections stay open, but nothing is forwarded. */
export class CuttableLink implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: number;
  #isCut = false;

  private constructor(target: number, delay: number) {
    this.#target = target;
    this.#server = createServer((near) => {
      const far = connect(this.#target, '127.0.0.1');
      for (const [from, to, late] of [
        [near, far, 0],
        [far, near, delay],
      ] as const) {
        this.#sockets.add(from);
        const forward = (data: string | Uint8Array) => this.#isCut || to.write(data);
        from.on('data', (data) => (late > 0 ? setTimeout(forward, late, data) : forward(data)));
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
   */
  static async to(target: number, delay = 0): Promise<CuttableLink> {
    const link = new CuttableLink(target, delay);
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
