import type { ServerResponse } from 'node:http';
import { SECOND } from '../lib/clock.ts';
import type { Delivery, PlainReply } from './scenario.ts';

/** Duration of a trickling body in ms, and the number of its pieces. */
const TRICKLE_TIME = 3 * SECOND;
const TRICKLE_PIECES = 30;

/** How long the half of a truncated body may take to arrive before the connection ends, in ms. */
const ARRIVAL_TIME = 100;

/** Sends a reply, or the part of it that the delivery allows. */
export async function deliver(
  { status, headers, body }: PlainReply,
  delivery: Delivery,
  response: ServerResponse,
  isHead: boolean,
): Promise<void> {
  if (delivery === 'lost') {
    response.socket?.destroy();
    return;
  }
  const bytes = Buffer.from(body);
  const hasContent = status !== 204 && status !== 304;
  response.writeHead(status, { ...headers, ...(hasContent && { 'Content-Length': bytes.length }) });
  if (isHead || !hasContent || delivery === 'whole') {
    response.end(isHead || !hasContent ? undefined : bytes);
    return;
  }
  if (delivery === 'truncated') {
    response.write(bytes.subarray(0, bytes.length >> 1));
    await Bun.sleep(ARRIVAL_TIME);
    response.socket?.destroy();
    return;
  }
  const size = Math.ceil(bytes.length / TRICKLE_PIECES);
  for (let sent = 0; sent < bytes.length && !response.destroyed; sent += size) {
    response.write(bytes.subarray(sent, sent + size));
    await Bun.sleep(TRICKLE_TIME / TRICKLE_PIECES);
  }
  response.end();
}
