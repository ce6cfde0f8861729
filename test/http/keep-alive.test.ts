import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { PARTS } from '../../src/config/config.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';
import { LiveReader } from '../support/live-reader.ts';
import { runCommand } from '../support/process.ts';
import { CHUNKED, CREATE, HOST, JSON_TYPE, KEY, message, PET, post } from './bad-input/rows.ts';

/** The setting of the tests, in seconds: more than the 12 s after which a half-sent first request is cut. */
const KEEP_ALIVE = 24;

const whole = message(['GET /v1/pets HTTP/1.1', HOST, KEY]);
const halfHead = whole.slice(0, -2);
const halfBody = post(PET)
  .replace(/Connection: close\r\n/i, '')
  .slice(0, -1);
/** Refused for its key before its body is read. */
const chunks = message([CREATE, HOST, JSON_TYPE, CHUNKED], '2\r\n{}\r\n0\r\n\r\n');
const halfChunks = chunks.slice(0, -5);

/** Sends each piece after the reply to the one before; resolves with the time until the server closed, in ms. */
function lifetime(port: number, pieces: readonly string[]): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const openedAt = performance.now();
  const rest = [...pieces];
  const socket = connect(port, '127.0.0.1', () => socket.write(rest.shift() ?? ''));
  socket.on('data', () => {
    const next = rest.shift();
    if (next !== undefined) socket.write(next);
  });
  socket.on('error', () => {});
  socket.on('close', () => resolve(performance.now() - openedAt));
  return promise;
}

describe('PETSTORE_KEEP_ALIVE_SECONDS', () => {
  test('is the time that a connection stays open after a reply, but no time for a first request', async () => {
    await using service = await TestService.start({
      parts: PARTS,
      settings: { PETSTORE_KEEP_ALIVE_SECONDS: String(KEEP_ALIVE) },
    });
    const { secret } = await service.account();
    const keep = (text: string) =>
      text.replaceAll('{key}', secret).replace(/Connection: close\r\n/i, '');
    const live = (...pieces: string[]) => lifetime(service.port, pieces.map(keep));
    const refused = post(PET).replace('{key}', 'wrong');
    const page = message(['GET /sign-in HTTP/1.1', HOST]);
    const visitor = await Visitor.signUp(service);
    await using stream = await LiveReader.open(visitor, service.dashboardUrl);
    const [cut, kept] = await Promise.all([
      Promise.all([
        live(''),
        live(halfHead),
        live(halfBody),
        live(halfChunks),
        live(whole, halfBody),
      ]),
      Promise.all([
        live(whole),
        live(post(PET)),
        live(refused),
        live(chunks),
        live(page),
        live(whole, halfHead),
        live(whole, refused),
      ]),
    ]);
    for (const each of kept) {
      // The runtime counts in steps of 4 s.
      expect(each).toBeGreaterThan((KEEP_ALIVE - 4.5) * 1000);
      expect(each).toBeGreaterThan(Math.max(...cut));
    }
    for (const each of cut) expect(each).toBeGreaterThan(5_000);
    expect(stream.hasEnded).toBeFalse();
  });

  test.each(['9', '256', '1.5', 'long'])('of %s is refused at the start', async (value) => {
    const settings = { PETSTORE_KEEP_ALIVE_SECONDS: value };
    const { code, stderr } = await runCommand(['serve'], settings);
    expect(code).toBe(2);
    expect(stderr).toContain('PETSTORE_KEEP_ALIVE_SECONDS');
    expect(stderr).toContain('from 10 to 255');
  });
});
