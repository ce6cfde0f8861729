import { EVERY_REPLY_HEADERS, HEADERS, type HeaderName } from '../../http/headers.ts';
import { type ApiAddresses, lifecycleOf } from '../../http/lifecycle.ts';
import { PLAIN_CHALLENGE } from '../../http/reply/error-replies.ts';
import type { PublishedOperation } from '../operations.ts';

/** Examples that are valid for every reply with the header. */
const EXAMPLES: Partial<Record<HeaderName, string>> = {
  'RateLimit-Policy': HEADERS['RateLimit-Policy'].example,
  RateLimit: HEADERS.RateLimit.example,
  'X-Request-Id': HEADERS['X-Request-Id'].example,
  // The first example of a 401 body is the one for a missing key.
  'WWW-Authenticate': PLAIN_CHALLENGE,
};

/** Examples that differ for one status. */
const EXAMPLES_OF_STATUS: Readonly<Record<number, Partial<Record<HeaderName, string>>>> = {
  429: { RateLimit: '"minute";r=0;t=42, "day";r=933;t=5120' },
};

/** A header of a reply; by itself its name, where all replies with this status have it, or none needs to. */
export type OwnHeader = HeaderName | { readonly name: HeaderName; readonly required: false };

type References = Record<string, { readonly $ref: string }>;

/** The headers of one OpenAPI document: replies refer to them, and `components` holds them. */
export class HeaderComponents {
  /** By their names in `components`. */
  readonly components: Record<string, object> = {};
  readonly #addresses: ApiAddresses;

  constructor(addresses: ApiAddresses) {
    this.#addresses = addresses;
  }

  /**
   * References to the headers that a reply of an operation has with this status: those of every reply and its
   * own. Mocks send an example unchanged, so a header has one only where it is valid. Numbers have none,
   * because Mockoon cannot read them.
   */
  refer(operation: PublishedOperation, own: readonly OwnHeader[], status: number): References {
    const references = [...EVERY_REPLY_HEADERS, ...own].map((each) => {
      const isOptional = typeof each !== 'string';
      const name = isOptional ? each.name : each;
      const { description, schema } = HEADERS[name];
      const required = HEADERS[name].required && !isOptional;
      const ofStatus = EXAMPLES_OF_STATUS[status]?.[name];
      const example = ofStatus ?? EXAMPLES[name];
      const component = ofStatus === undefined && !isOptional ? name : `${name}-${status}`;
      const header = { description, required, schema, ...(example !== undefined && { example }) };
      return [name, this.#add(component, header)] as const;
    });
    return { ...Object.fromEntries(references), ...this.#referLifecycle(operation) };
  }

  /** References to the headers that every reply of an operation has for its lifecycle, with the values sent. */
  #referLifecycle(operation: PublishedOperation): References {
    const { headers, sent } = lifecycleOf(operation);
    const values = sent(this.#addresses);
    const references = headers.map((name) => {
      const { description, schema } = HEADERS[name];
      const header = { description, required: true, schema, example: values[name] };
      return [name, this.#add(`${operation.id}-${name}`, header)] as const;
    });
    return Object.fromEntries(references);
  }

  #add(component: string, header: object): { readonly $ref: string } {
    this.components[component] = header;
    return { $ref: `#/components/headers/${component}` };
  }
}
