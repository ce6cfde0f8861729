/** What may come next in a JSON text. */
type State = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'end';

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };
const LITERALS = ['true', 'false', 'null'];
const WHITE_SPACE = /[ \t\n\r]*/y;
/** The beginning of a number, as far as it goes. */
const NUMBER_START = /-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?)?/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** The beginning of an escape sequence that is not finished. */
const ESCAPE_START = /\\(?:u[\da-fA-F]{0,3})?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/**
 * The offset of the first character at which a text can no longer be JSON (RFC 8259), in UTF-16 units: the length of the
 * text if that is where it breaks off. `undefined` for JSON.
 */
export function syntaxFault(text: string): number | undefined {
  const scanner = new Scanner(text);
  while (!scanner.isDone) {
    const fault = scanner.step();
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Reads a JSON text from one token to the next. */
class Scanner {
  readonly #text: string;
  /** The brackets that are open. */
  readonly #open: string[] = [];
  #index = 0;
  #state: State = 'value';

  constructor(text: string) {
    this.#text = text;
  }

  get isDone(): boolean {
    this.#index += lengthAt(WHITE_SPACE, this.#text, this.#index);
    return this.#state === 'end' && this.#index === this.#text.length;
  }

  /** Reads one token. @returns the offset of the fault, if there is one. */
  step(): number | undefined {
    const start = this.#index;
    const character = this.#text[start] ?? '';
    const state = this.#state;
    if (state.endsWith('or end') && character === CLOSING[this.#open.at(-1) ?? '']) {
      this.#open.pop();
      return this.#go(start + 1, this.#afterValue());
    }
    switch (state) {
      case 'value':
      case 'value or end':
        return this.#value(character);
      case 'name':
      case 'name or end':
        return character === '"' ? this.#string('colon') : start;
      case 'colon':
        return character === ':' ? this.#go(start + 1, 'value') : start;
      case 'comma or end':
        if (character !== ',') return start;
        return this.#go(start + 1, this.#open.at(-1) === '{' ? 'name' : 'value');
      case 'end':
        return start;
    }
  }

  #go(index: number, state: State): undefined {
    this.#index = index;
    this.#state = state;
  }

  #afterValue(): State {
    return this.#open.length > 0 ? 'comma or end' : 'end';
  }

  #value(character: string): number | undefined {
    const start = this.#index;
    switch (character) {
      case '{':
      case '[':
        this.#open.push(character);
        return this.#go(start + 1, character === '{' ? 'name or end' : 'value or end');
      case '"':
        return this.#string(this.#afterValue());
      default:
        return /[-\d]/.test(character) ? this.#number() : this.#literal(character);
    }
  }

  #string(next: State): number | undefined {
    let index = this.#index + 1;
    for (;;) {
      const code = this.#text.charCodeAt(index);
      if (code === QUOTE) return this.#go(index + 1, next);
      // `NaN` at the end of the text.
      if (!(code >= FIRST_PRINTABLE)) return index;
      if (code === BACKSLASH) {
        const length = lengthAt(ESCAPE, this.#text, index);
        if (length === 0) return index + lengthAt(ESCAPE_START, this.#text, index);
        index += length;
      } else index += 1;
    }
  }

  #number(): number | undefined {
    const end = this.#index + lengthAt(NUMBER_START, this.#text, this.#index);
    if (!NUMBER.test(this.#text.slice(this.#index, end))) return end;
    return this.#go(end, this.#afterValue());
  }

  #literal(character: string): number | undefined {
    const start = this.#index;
    const literal = LITERALS.find((each) => each[0] === character);
    if (literal === undefined) return start;
    for (let length = 1; length < literal.length; length += 1) {
      if (this.#text[start + length] !== literal[length]) return start + length;
    }
    return this.#go(start + literal.length, this.#afterValue());
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The first character that a string may contain unescaped. */
const FIRST_PRINTABLE = 0x20;

/** The length of the match of a sticky expression at this index; 0 without a match. */
function lengthAt(expression: RegExp, text: string, index: number): number {
  expression.lastIndex = index;
  return expression.exec(text)?.[0].length ?? 0;
}

/**
 * Where an offset is in a text, as editors show it: `line 2, column 7`. Both begin with 1. A line ends with LF, CR LF or
 * CR; a column is one Unicode code point.
 * @param offset in UTF-16 units.
 */
export function positionOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return `line ${before.length}, column ${Array.from(before.at(-1) ?? '').length + 1}`;
}

/** The longest beginning of these bytes that is UTF-8, as text without a byte order mark. */
export function validStart(bytes: Uint8Array): string {
  let [valid, invalid] = [0, bytes.length + 1];
  while (invalid - valid > 1) {
    const length = Math.floor((valid + invalid) / 2);
    if (startOf(bytes, length) === undefined) invalid = length;
    else valid = length;
  }
  return startOf(bytes, valid) ?? '';
}

/** The complete characters of the first bytes; `undefined` if these are not UTF-8. */
function startOf(bytes: Uint8Array, length: number): string | undefined {
  try {
    // A character may be cut off at the end.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), {
      stream: true,
    });
  } catch {
    return undefined;
  }
}
