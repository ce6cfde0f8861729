import { LRUCache } from 'lru-cache';

/** The choice among the offered content codings for one client (RFC 9110, 8.4.1). */
interface CodingChoice<Coding> {
  /** `undefined` where the client accepts none of them, or prefers the unencoded content. */
  readonly coding: Coding | undefined;
  /** Whether the client refuses unencoded content. */
  readonly isRequired: boolean;
}

/** How many header values are cached with their choice: clients send few different ones. */
const KNOWN_VALUES = 200;
const MAX_KNOWN_LENGTH = 200;
/** A longer header value, in characters, is disregarded, so that no request spends long on it. */
const MAX_LENGTH = 1_000;

const UNCODED: CodingChoice<never> = { coding: undefined, isRequired: false };

/**
 * Makes a function that chooses a content coding by the value of `Accept-Encoding` (RFC 9110, 12.5.3). A
 * client that accepts nothing at all gets the unencoded content (12.5: the header may be disregarded), as does
 * one that sends more than `MAX_LENGTH` characters.
 * @param offered the most preferred one first, for clients that accept several equally.
 */
export function codingChooser<Coding extends string>(
  offered: readonly Coding[],
): (acceptEncoding: string | null) => CodingChoice<Coding> {
  const known = new LRUCache<string, CodingChoice<Coding>>({ max: KNOWN_VALUES });
  return (acceptEncoding) => {
    if (acceptEncoding === null || acceptEncoding.length > MAX_LENGTH) return UNCODED;
    const made = known.get(acceptEncoding);
    if (made) return made;
    const choice = choose(parseWeights(acceptEncoding), offered);
    if (acceptEncoding.length <= MAX_KNOWN_LENGTH) known.set(acceptEncoding, choice);
    return choice;
  };
}

type Weights = ReadonlyMap<string, number>;

function choose<Coding extends string>(
  weights: Weights,
  offered: readonly Coding[],
): CodingChoice<Coding> {
  const any = weights.get('*');
  const weightOf = (coding: Coding) => weights.get(coding) ?? any ?? 0;
  const greatest = Math.max(...offered.map(weightOf));
  if (greatest === 0) return UNCODED;
  // Unless `identity` is named, unencoded content is acceptable but not preferred to any coding.
  const identity = weights.get('identity') ?? (any === 0 ? 0 : undefined);
  if (identity !== undefined && identity > greatest) return UNCODED;
  const coding = offered.find((each) => weightOf(each) === greatest);
  return { coding, isRequired: identity === 0 };
}

/** Codings by name with their weights; a malformed element is ignored. */
function parseWeights(acceptEncoding: string): Weights {
  const weights = new Map<string, number>();
  for (const element of acceptEncoding.split(',')) {
    const { name, weight = '1' } = ELEMENT.exec(element)?.groups ?? {};
    // RFC 9110, 8.4.1.3: an old name of gzip.
    if (name) weights.set(name.toLowerCase().replace(/^x-gzip$/, 'gzip'), Number(weight));
  }
  return weights;
}

const ELEMENT =
  /^[ \t]*(?<name>[\w!#$%&'*+.^`|~-]+)[ \t]*(?:;[ \t]*q=(?<weight>0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$/i;
