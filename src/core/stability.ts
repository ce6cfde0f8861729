/** How stable an operation is, the most stable level first. */
export const STABILITIES = ['stable', 'beta', 'experimental'] as const;

export type Stability = (typeof STABILITIES)[number];

/** Whether something of this stability is served where `least` is the least stable level that is. */
export function isStableEnough(stability: Stability, least: Stability): boolean {
  return STABILITIES.indexOf(stability) <= STABILITIES.indexOf(least);
}

/** What readers are promised, in one sentence for each level below stable. */
export const STABILITY_NOTES = {
  beta: 'Beta: an incompatible change is announced 90 days before, in the changelog and by the header `Deprecation`.',
  experimental: 'Experimental: it may change in any release.',
} as const satisfies Record<Exclude<Stability, 'stable'>, string>;
