import { CONTRACT } from '../../src/api/all-operations.ts';

/** Everything that pages are made with, except for the addresses. */
export const PAGE_FACTS = {
  contract: CONTRACT,
  connections: { closeAfter() {} },
  bundle: { isKept: false, dataFolder: undefined },
  banPolicy: { after: 10, base: 300_000, maximum: 86_400_000 },
  anonymousLimits: { perMinute: 60, perDay: 1_000 },
};
