import { type ApiAddresses, deprecationHeaders } from '../../http/deprecation.ts';
import { DEPRECATION_HEADERS, HEADERS, type HeaderName } from '../../http/headers.ts';
import type { PublishedOperation } from '../operations.ts';

type References = Record<string, { readonly $ref: string }>;

/** The headers of one OpenAPI document: replies refer to them, and `components` holds them. */
export class HeaderComponents {
  /** By their names in `components`. */
  readonly components: Record<string, object> = {};
  readonly #addresses: ApiAddresses;

  constructor(addresses: ApiAddresses) {
    this.#addresses = addresses;
  }

  /** References to headers whose values depend on the case, so that they have no example. */
  refer(names: readonly HeaderName[]): References {
    const references = names.map((name) => {
      const { description, schema, required } = HEADERS[name];
      return [name, this.#add(name, { description, required, schema })] as const;
    });
    return Object.fromEntries(references);
  }

  /** References to the headers that every reply of a deprecated operation has, with the values sent. */
  referDeprecation(operationId: string, { deprecation }: PublishedOperation): References {
    if (!deprecation) return {};
    const sent = deprecationHeaders(deprecation, this.#addresses);
    const references = DEPRECATION_HEADERS.map((name) => {
      const { description, schema } = HEADERS[name];
      const header = { description, required: true, schema, example: sent[name] };
      return [name, this.#add(`${operationId}-${name}`, header)] as const;
    });
    return Object.fromEntries(references);
  }

  #add(component: string, header: object): { readonly $ref: string } {
    this.components[component] = header;
    return { $ref: `#/components/headers/${component}` };
  }
}
