import {
  IconActivity,
  IconBan,
  IconChartBar,
  IconClipboardList,
  IconFlask,
  IconKey,
  IconListSearch,
  IconMail,
  IconPackage,
  IconPaw,
  IconPlayerPlay,
  IconShoppingCart,
  IconStack2,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';

type Pages = readonly (readonly [path: string, icon: TablerIcon])[];

/**
 * The pages in the menu of a user. Their titles are in `shared/page-titles.ts`. `frame/frame.css` hides those that a
 * service does not have (`shared/unserved.ts`).
 */
export const PAGES: Pages = [
  ['/', IconPlayerPlay],
  ['/animals', IconPaw],
  ['/orders', IconShoppingCart],
  ['/keys', IconKey],
  ['/requests', IconListSearch],
  ['/usage', IconChartBar],
  ['/messages', IconMail],
  ['/sandbox', IconFlask],
  ['/plan', IconStack2],
];

/** Those that only operators have. */
export const OPERATOR_PAGES: Pages = [
  ['/operator', IconUsers],
  ['/operator/overview', IconActivity],
  ['/operator/bans', IconBan],
  ['/operator/orders', IconPackage],
  ['/operator/audit', IconClipboardList],
];
