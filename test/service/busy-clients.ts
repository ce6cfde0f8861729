import { connect } from 'node:net';

const REQUEST = 'GET /v1/pets HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Clients that continuously send requests over plain sockets. */
export class BusyClients {
  /** The number of replies so far. */
  replies = 0;
  /** Connections whose last reply had `Connection: close`. */
  closed = 0;
  /** Connections that were closed before the reply to a request. */
  unanswered = 0;
  /** The longest time in which this process was blocked, in ms: its clients sent no requests then. */
  longestStall = 0;
  /** Resolves when every connection is closed. */
  readonly ended: Promise<void>;

  /**
   * Opens keep-alive connections; each sends its next request immediately after the reply to the previous
   * one, until a reply has `Connection: close`.
   */
  constructor(port: number, count: number) {
    const connections = Array.from({ length: count }, () => keepBusy(port, this));
    this.ended = Promise.all(connections).then(() => {});
    void this.#watchStalls();
  }

  async #watchStalls(): Promise<void> {
    let isOver = false;
    void this.ended.then(() => {
      isOver = true;
    });
    for (let last = performance.now(); !isOver; ) {
      await Bun.sleep(1);
      const now = performance.now();
      this.longestStall = Math.max(this.longestStall, now - last);
      last = now;
    }
  }
}

function keepBusy(port: number, seen: BusyClients): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(port, '127.0.0.1');
  let received = '';
  let isWaiting = false;
  const send = () => {
    isWaiting = true;
    socket.write(REQUEST);
  };
  socket.on('connect', send);
  socket.on('data', (data) => {
    received += data.toString('latin1');
    const head = /^([\s\S]*?)\r\n\r\n/.exec(received)?.[1];
    const length = Number(/\ncontent-length: (\d+)/i.exec(head ?? '')?.[1]);
    if (head === undefined || received.length < head.length + 4 + length) return;
    received = '';
    isWaiting = false;
    seen.replies += 1;
    if (/\nconnection: close/i.test(head)) seen.closed += 1;
    else send();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    if (isWaiting) seen.unanswered += 1;
    resolve();
  });
  return promise;
}
