import type { Value } from './tables.ts';

const BYTES = 32;
const MODULUS = 1n << BigInt(BYTES * 8);

/**
 * A digest of a set of rows that does not depend on their order: the sum of the SHA-256 of each row, modulo 2^256. Two
 * databases may sort rows differently.
 */
export class RowsDigest {
  #sum = 0n;
  #rows = 0;

  add(row: readonly Value[]): void {
    const text = JSON.stringify(row.map(plain));
    const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex');
    this.#sum = (this.#sum + BigInt(`0x${hash}`)) % MODULUS;
    this.#rows += 1;
  }

  get rows(): number {
    return this.#rows;
  }

  /** 64 hexadecimal digits. */
  get value(): string {
    return this.#sum.toString(16).padStart(BYTES * 2, '0');
  }
}

/** Converts a value for JSON; keeps values distinct that look the same as text: 1 and "1", NULL and "". */
export function plain(value: Value): unknown {
  if (typeof value === 'bigint') return { number: String(value) };
  if (Buffer.isBuffer(value)) return { bytes: value.toString('hex') };
  return value;
}
