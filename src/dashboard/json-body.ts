import { invalid } from './refused.ts';

/** The largest body, in bytes. */
export const MAX_BODY_BYTES = 16 * 1024;

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:$|;)/i;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * The members of a request's body, a JSON object. A page of another site can send other media types
 * without asking first, so that they are refused.
 * @throws Refused `invalid`
 */
export async function readJsonObject(request: Request): Promise<Array<[string, unknown]>> {
  if (!JSON_MEDIA_TYPE.test(request.headers.get('content-type') ?? '')) {
    throw invalid('Send the body as JSON, with the header "Content-Type: application/json".');
  }
  const body = parse(await readBytes(request));
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('The body must be a JSON object.');
  }
  return Object.entries(body);
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > MAX_BODY_BYTES) break;
      chunks.push(chunk);
    }
  } catch {
    // Nobody is left to read this; it keeps a client's doing from passing for a failure of ours.
    throw invalid('The body did not arrive whole.');
  }
  if (size <= MAX_BODY_BYTES) return Buffer.concat(chunks);
  throw invalid(`The body is larger than ${MAX_BODY_BYTES / 1024} KiB. Send less.`);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    throw invalid('The body is not valid JSON in UTF-8. Check quotes and commas.');
  }
}
