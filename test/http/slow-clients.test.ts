import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { createLog } from '../../src/observability/log.ts';
import { eventually, TestService } from '../support/harness.ts';
import { rawExchange } from '../support/raw.ts';
import { create, HOST, KEY, LIST, message, PET, post } from './bad-input/rows.ts';

/** A client that pauses for this long, in ms, is not disconnected. */
const PATIENCE = 5_000;

/** A client on a plain socket that may be slow, silent or disconnected. */
class Connection {
  readonly #socket: Socket;
  readonly #openedAt = performance.now();
  readonly opened: Promise<void>;
  readonly closed: Promise<void>;
  received = '';
  openFor: number | undefined;

  constructor(port: number) {
    const opened = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    this.opened = opened.promise;
    this.closed = closed.promise;
    this.#socket = connect(port, '127.0.0.1', opened.resolve);
    this.#socket.on('data', (data: Buffer) => {
      this.received += data.toString('latin1');
    });
    this.#socket.on('close', () => {
      this.openFor = performance.now() - this.#openedAt;
      closed.resolve();
    });
    // The service may close a connection with a reset.
    this.#socket.on('error', () => {});
  }

  stopReading(): void {
    this.#socket.pause();
  }

  /** Resolves once the bytes have left this process. */
  async send(bytes: string): Promise<void> {
    await this.opened;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.write(bytes, 'latin1', () => resolve());
    await promise;
  }

  /** Closes the sending half of the connection. */
  finish(): void {
    this.#socket.end();
  }

  hangUp(): void {
    this.#socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    await this.closed;
  }
}

/** Sends the start, then one piece every 250 ms for as long as the connection stays open. */
async function trickle(port: number, start: string, piece: string): Promise<Connection> {
  const connection = new Connection(port);
  await connection.send(start);
  while (connection.openFor === undefined) {
    if (piece !== '') await connection.send(piece);
    await Promise.race([connection.closed, Bun.sleep(250)]);
  }
  return connection;
}

const head = (...lines: string[]) => message(lines).slice(0, -2);

/** Requests that never end: the beginning of each, and the piece that is repeated. */
const ENDLESS: Readonly<Record<string, readonly [start: string, piece: string]>> = {
  'sends nothing': ['', ''],
  'stops inside of its headers': [head(LIST, HOST), ''],
  'trickles headers': [head(LIST, HOST, KEY), 'X-More: 1\r\n'],
  'trickles one header': [`${head(LIST, HOST, KEY)}X-Long: `, 'a'],
  'stops inside of its body': [create('{', 'Content-Length: 1000'), ''],
  'trickles its body': [create('{', 'Content-Length: 1000'), ' '],
  'trickles chunks': [create('', 'Transfer-Encoding: chunked'), '1\r\n \r\n'],
  'never ends a chunk': [create('3e8\r\n{', 'Transfer-Encoding: chunked'), ' '],
  'leaves out the final chunk': [create('2\r\n{}\r\n', 'Transfer-Encoding: chunked'), ''],
  'keeps a connection after its reply': [message([LIST, HOST, KEY]), ''],
};

describe('slow clients', () => {
  test('are cut off when they never finish a request, after patience, and create nothing', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const client = service.client(secret);
    const connections = Object.values(ENDLESS).map(([start, piece]) =>
      trickle(service.port, start.replaceAll('{key}', secret), piece),
    );
    expect((await client.createPet({ name: 'Meanwhile', categoryId: 1 })).id).toBe(1);
    const ended = await Promise.all(connections);

    expect(
      Object.keys(ENDLESS).filter((_, index) => (ended[index]?.openFor ?? 0) < PATIENCE),
    ).toEqual([]);
    const answered = ended.filter(({ received }) => received !== '');
    expect(answered.map(({ received }) => received.slice(0, 12))).toEqual(['HTTP/1.1 200']);
    expect((await client.listPets()).pets).toHaveLength(1);
  });

  test('are served when they finish in time', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const bytes = post(PET).replaceAll('{key}', secret);
    const pieces = (bytes.match(/[\s\S]{1,8}/g) ?? []).flatMap((piece) => [piece, 5]);
    const { replies } = await rawExchange(service.port, pieces);
    expect(replies.map(({ status }) => status)).toEqual([201]);
  });

  test('that never read their replies are cut off, and others are served meanwhile', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const client = service.client(secret);
    const names = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(250, 'x'));
    await Promise.all(names.map((name) => client.createPet({ name, categoryId: 1 })));

    await using deaf = new Connection(service.port);
    deaf.stopReading();
    const request = message(['GET /v1/pets?limit=100 HTTP/1.1', HOST, KEY]);
    const sent = deaf.send(request.replaceAll('{key}', secret).repeat(20_000));
    expect((await client.listPets({ limit: 100 })).pets).toHaveLength(100);
    await Promise.race([deaf.closed, sent]);
    await deaf.closed;
    expect((await client.listPets({ limit: 100 })).pets).toHaveLength(100);
    // If all requests had been executed, their replies would have filled the memory.
    expect(client.rateLimit?.remaining).toBeGreaterThan(1_000_000 - 20_000);
  });

  test('do not stand in the way of others when 200 of them sit idle', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const client = service.client(secret);
    const idle = Array.from({ length: 200 }, () => new Connection(service.port));
    try {
      await Promise.all(idle.map(({ opened }) => opened));
      const pet = await client.createPet({ name: 'Biscuit', categoryId: 7 });
      expect((await client.listPets()).pets).toEqual([pet]);
      expect(idle.filter(({ openFor }) => openFor !== undefined)).toEqual([]);
    } finally {
      await Promise.all(idle.map((each) => each[Symbol.asyncDispose]()));
    }
  });
});

describe('clients that hang up', () => {
  test('in the middle of a creation create nothing, and are no failure in the log', async () => {
    const lines: string[] = [];
    const log = createLog('warn', { write: (line: string) => void lines.push(line) });
    await using service = await TestService.start({ log });
    const { secret } = await service.account();
    const chunked = create(`21\r\n${PET}\r\n`, 'Transfer-Encoding: chunked');
    for (const whole of [post(PET).slice(0, -1), chunked].map((each) =>
      each.replace('{key}', secret),
    )) {
      for (let end = 1; end <= whole.length; end += 3) {
        await using connection = new Connection(service.port);
        await connection.send(whole.slice(0, end));
        connection.hangUp();
      }
    }
    expect((await service.client(secret).listPets()).pets).toEqual([]);
    expect(lines).toEqual([]);
  });

  test('before the reply have created one animal at most, which a retry finds', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const client = service.client(secret);
    const attempts = Array.from({ length: 50 }, async (_, index) => {
      const idempotencyKey = `attempt-${index}`;
      const request = post(PET, `Idempotency-Key: ${idempotencyKey}`).replace('{key}', secret);
      await using connection = new Connection(service.port);
      await connection.send(request);
      connection.hangUp();
      await connection.closed;
      return idempotencyKey;
    });
    for (const idempotencyKey of await Promise.all(attempts)) {
      const pet = { name: 'Biscuit', categoryId: 7 };
      await eventually(() =>
        client.createPet(pet, { idempotencyKey }).then(() => true, isConflict),
      );
    }
    const { pets, next } = await client.listPets({ limit: 100 });
    expect([pets.length, next]).toEqual([50, undefined]);
  });

  test('in one direction only, before the reply, are taken for gone, and what they sent holds', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    // The lock prevents a reply before the client has sent everything.
    using file = new Database(`${service.folder.path}/production.db`);
    file.run('BEGIN IMMEDIATE');
    await using connection = new Connection(service.port);
    await connection.send(post(PET).replace('{key}', secret));
    connection.finish();
    await connection.closed;
    file.run('ROLLBACK');
    expect(connection.received).toBe('');
    const client = service.client(secret);
    await eventually(async () => (await client.listPets()).pets.length === 1);
  });
});

function isConflict(error: unknown): boolean {
  if (error instanceof Error && 'status' in error && error.status === 409) return false;
  throw error;
}
