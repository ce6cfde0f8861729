import { UNCACHED } from '../errors.ts';

/** Rows that are read and written in one piece: they take 1 to 3 ms. */
export const ROWS_AT_ONCE = 100;

/** Pause between two pieces, in ms, in which other requests are handled. */
export const PAUSE = 1;

/**
 * A reply with a file that is written piece by piece, as fast as the client reads. Other requests are
 * handled between two pieces. Nothing more is read once the client has left.
 * @param pieces may be empty, to let others through after a part without rows.
 */
export function download(name: string, type: string, pieces: AsyncGenerator<string>): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A stream is not pulled again before it has got a piece with content.
      for (;;) {
        await Bun.sleep(PAUSE);
        const { done, value } = await pieces.next();
        if (done) return controller.close();
        if (value !== '') return controller.enqueue(encoder.encode(value));
      }
    },
    cancel: async () => void (await pieces.return(undefined)),
  });
  return new Response(body, {
    headers: {
      ...UNCACHED,
      'Content-Type': type,
      'Content-Disposition': `attachment; filename="${name}"`,
    },
  });
}
