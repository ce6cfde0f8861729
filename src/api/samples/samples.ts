import type { PublishedOperation } from '../operations.ts';
import { curlSample } from './curl.ts';
import { type FormRequest, initialRequest } from './form-request.ts';
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
    note: 'fetch, in browsers and in Node.js 20 or later: save it as call.mjs. Integers beyond 2^53 are exact from Node.js 22 on',
    write: javascriptSample,
  },
  python: { title: 'Python', note: 'urllib of the standard library', write: pythonSample },
  go: { title: 'Go', note: 'net/http, Go 1.24 or later', write: goSample },
} as const satisfies Record<string, Language>;

export type SampleLanguage = keyof typeof LANGUAGES;

/** In the order in which they are shown. */
export const SAMPLE_LANGUAGES = [
  'curl',
  'typescript',
  'javascript',
  'python',
  'go',
] as const satisfies readonly SampleLanguage[];

/** A request in a language. */
export interface Sample {
  readonly language: SampleLanguage;
  readonly title: string;
  readonly note: string;
  readonly code: string;
}

/**
 * Samples of an operation with the examples of the contract, one for each language.
 * @param baseUrl where the operation is served, without a trailing slash.
 */
export function samplesOf(operation: PublishedOperation, baseUrl: string): readonly Sample[] {
  return samplesOfRequest(initialRequest(operation, baseUrl));
}

/** Samples that send the request of a form, one for each language. @param apiKey by default a placeholder. */
export function samplesOfRequest(request: FormRequest, apiKey?: string): readonly Sample[] {
  const call = sampleCall(request, apiKey);
  return SAMPLE_LANGUAGES.map((language) => {
    const { title, note, write } = LANGUAGES[language];
    return { language, title, note, code: write(call) };
  });
}
