import type { Contract, OperationId } from '../../../api/operations.ts';
import type { BanPolicy } from '../../../core/limits/bans.ts';
import type { Limits } from '../../../core/limits/plans.ts';
import type { Addresses } from '../../pages/reference-sections.ts';

/** The facts about the service that guides mention. */
export interface ServiceFacts {
  readonly addresses: Addresses;
  /** The operations that are served. */
  readonly contract: Contract;
  readonly banPolicy: BanPolicy;
  /** Of requests without a valid key, by client address. */
  readonly anonymousLimits: Limits;
}

/** A guide: a page of text at `/docs/guides/NAME`, and as Markdown at `/docs/guides/NAME.md`. */
export interface Guide {
  /** The last part of its address: lower-case letters and hyphens. */
  readonly name: string;
  readonly title: string;
  /** One sentence for lists, search engines and previews of links. */
  readonly description: string;
  /** The operation that it is about: without it, the service has no such guide. By default it always has. */
  readonly operation?: OperationId | undefined;
  /**
   * Its text as Markdown, without the title. Sections begin with `##`; the anchor of each heading
   * is derived from its words. A link to another page begins with `/`, such as `[keys](/keys)`.
   */
  body(facts: ServiceFacts): string;
}
