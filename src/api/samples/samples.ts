import type { PublishedOperation } from '../operations.ts';
import { curlSample } from './curl.ts';
import { goSample } from './go.ts';
import { javascriptSample } from './javascript.ts';
import { pythonSample } from './python.ts';
import { type SampleCall, sampleCall } from './sample-call.ts';
import { typescriptSample } from './typescript.ts';

interface Language {
  /** The name that is shown to readers. */
  readonly title: string;
  /** The runtime and the libraries of the sample. */
  readonly note: string;
  write(call: SampleCall): string;
}

const LANGUAGES = {
  curl: { title: 'curl', note: 'curl in a shell', write: curlSample },
  typescript: {
    title: 'TypeScript',
    note: 'the client petstore-client',
    write: typescriptSample,
  },
  javascript: {
    title: 'JavaScript',
    note: 'fetch, in Node.js 22 or later and in browsers',
    write: javascriptSample,
  },
  python: { title: 'Python', note: 'urllib of the standard library', write: pythonSample },
  go: { title: 'Go', note: 'net/http, Go 1.24 or later', write: goSample },
} as const satisfies Record<string, Language>;

export type SampleLanguage = keyof typeof LANGUAGES;

/** A request in a language. */
export interface Sample {
  readonly language: SampleLanguage;
  readonly title: string;
  readonly note: string;
  readonly code: string;
}

/**
 * Samples of a request of an operation, one for each language, with the examples of the contract.
 * @param baseUrl where the operation is served, without a trailing slash.
 */
export function samplesOf(operation: PublishedOperation, baseUrl: string): readonly Sample[] {
  const call = sampleCall(operation, baseUrl);
  return Object.entries<Language>(LANGUAGES).map(([language, { title, note, write }]) => ({
    // The entries are exactly those of `LANGUAGES`.
    language: language as SampleLanguage,
    title,
    note,
    code: write(call),
  }));
}
