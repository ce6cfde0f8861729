import { requestJson } from '../../core/requests/request-json.ts';
import { KEPT_PER_ACCOUNT, type LoggedRequest } from '../../core/requests/request-log.ts';
import { csvLine } from '../../lib/csv.ts';
import { download, ROWS_AT_ONCE } from './download.ts';

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
export function downloadRequests(form: DownloadForm, readPage: ReadPage): Response {
  return download(`requests.${form}`, FORMS[form].type, pieces(form, readPage));
}

async function* pieces(form: DownloadForm, readPage: ReadPage): AsyncGenerator<string> {
  const { begin, end, separator, write } = FORMS[form];
  yield form === 'csv' ? `${COLUMNS.join(',')}\r\n` : begin;
  let before: string | undefined;
  for (let written = 0; written < KEPT_PER_ACCOUNT; ) {
    const entries = await readPage(ROWS_AT_ONCE, before);
    const text = entries.map(write).join(separator);
    if (text !== '') yield (written > 0 ? separator : '') + text;
    written += entries.length;
    before = entries.at(-1)?.id;
    if (entries.length < ROWS_AT_ONCE) break;
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
