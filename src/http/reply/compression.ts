import { codingChooser } from '../body/content-coding.ts';

/** Codings that are built into the runtime, so that nothing has to be loaded at start. */
export type Coding = 'zstd' | 'gzip';

type Bytes = Uint8Array<ArrayBuffer>;

/** For bodies that are compressed once and sent many times. */
const THOROUGH = { zstd: 9, gzip: 9 } as const;
/** For bodies that are compressed for one reply. */
const FAST = { zstd: 1, gzip: 1 } as const;

/** Chooses the coding of a cached body from `Accept-Encoding`, preferring the smaller one. */
export const chooseKeptCoding = codingChooser<Coding>(['zstd', 'gzip']);

/** Chooses the coding of the body of one reply from `Accept-Encoding`, preferring the faster one. */
export const chooseFastCoding = codingChooser<Coding>(['gzip', 'zstd']);

/** Compresses the body of one reply. */
export function compress(body: string | Bytes, coding: Coding): Bytes {
  return compressAt(FAST, body, coding);
}

/** A body that many replies share, compressed on first use. */
export class CompressedForms {
  readonly #body: string | Bytes;
  readonly #made = new Map<Coding, Bytes>();

  constructor(body: string | Bytes) {
    this.#body = body;
  }

  in(coding: Coding): Bytes {
    const known = this.#made.get(coding);
    if (known) return known;
    const made = compressAt(THOROUGH, this.#body, coding);
    this.#made.set(coding, made);
    return made;
  }
}

function compressAt(levels: typeof THOROUGH | typeof FAST, body: string | Bytes, coding: Coding) {
  const level = levels[coding];
  if (coding === 'zstd') return new Uint8Array(Bun.zstdCompressSync(body, { level }));
  return Bun.gzipSync(body, { level, library: 'zlib' });
}
