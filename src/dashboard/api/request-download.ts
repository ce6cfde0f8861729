import { requestJson } from '../../core/request-json.ts';
import { KEPT_PER_ACCOUNT, type LoggedRequest } from '../../core/request-log.ts';
import { csvLine } from '../../lib/csv.ts';
import { UNCACHED } from '../errors.ts';

/**
 * Entries that are read and written in one batch; small enough that other requests do not wait
 * long.
 */
const AT_ONCE = 500;

/** Reads the entries that follow a given one. */
type ReadPage = (limit: number, before: string | undefined) => Promise<readonly LoggedRequest[]>;

/** The formats of a download, by name. */
const FORMS = {
  json: { type: 'application/json', begin: '[', end: ']\n', separator: ',\n', write: jsonOf },
  csv: { type: 'text/csv; charset=utf-8', begin: '', end: '', separator: '', write: csvOf },
} as const;

type DownloadForm = keyof typeof FORMS;

export function isDownloadForm(name: string): name is DownloadForm {
  return Object.hasOwn(FORMS, name);
}

/** All entries as a file, newest first. */
export function download(form: DownloadForm, readPage: ReadPage): Response {
  const { type } = FORMS[form];
  return new Response(streamOf(pieces(form, readPage)), {
    headers: {
      ...UNCACHED,
      'Content-Type': type,
      'Content-Disposition': `attachment; filename="requests.${form}"`,
    },
  });
}

function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => void (await texts.return(undefined)),
  });
}

async function* pieces(form: DownloadForm, readPage: ReadPage): AsyncGenerator<string> {
  const { begin, end, separator, write } = FORMS[form];
  yield form === 'csv' ? `${COLUMNS.join(',')}\r\n` : begin;
  let before: string | undefined;
  for (let written = 0; written < KEPT_PER_ACCOUNT; ) {
    const entries = await readPage(AT_ONCE, before);
    const text = entries.map(write).join(separator);
    if (text !== '') yield (written > 0 ? separator : '') + text;
    written += entries.length;
    before = entries.at(-1)?.id;
    if (entries.length < AT_ONCE) break;
  }
  if (end !== '') yield end;
}

function jsonOf(entry: LoggedRequest): string {
  return JSON.stringify(requestJson(entry));
}

const COLUMNS = [
  ...(['at', 'requestId', 'environment', 'keyId', 'method', 'path', 'status', 'code'] as const),
  ...(['message', 'durationMs', 'replyBytes', 'address', 'userAgent'] as const),
  ...(['simulation', 'replayed', 'notRecorded'] as const),
];

function csvOf(entry: LoggedRequest): string {
  const fields = requestJson(entry);
  return csvLine(COLUMNS.map((name) => fields[name]));
}
