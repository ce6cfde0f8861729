import type { ReactNode } from 'react';

function icon(paths: ReactNode) {
  return function Icon({ size = 18 }: { size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.75}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {paths}
      </svg>
    );
  };
}

/*
 * Decorative: the words beside an icon, or its button's label, say what it means.
 */

export const IconCopy = icon(
  <>
    <rect x="9" y="9" width="11" height="11" rx="2" />
    <path d="M5 15H4V5a1 1 0 0 1 1-1h10v1" />
  </>,
);
export const IconCheck = icon(<path d="m5 12.5 4.5 4.5L19 7.5" />);
export const IconWarning = icon(
  <>
    <path d="M12 4 2.8 19.5h18.4L12 4Z" />
    <path d="M12 10v4.5M12 17v.01" />
  </>,
);
export const IconStart = icon(<path d="M7 4.5v15l12-7.5-12-7.5Z" />);
export const IconKey = icon(
  <>
    <circle cx="8" cy="15" r="4.5" />
    <path d="m11.2 11.8 8.3-8.3M16 7l3 3M13.5 9.5l2 2" />
  </>,
);
export const IconUsage = icon(<path d="M4 20V4M4 20h16M9 16v-4M13.5 16V8M18 16v-6" />);
export const IconMessages = icon(
  <>
    <rect x="3" y="5" width="18" height="14" rx="2" />
    <path d="m3.5 7 8.5 6 8.5-6" />
  </>,
);
export const IconPlan = icon(<path d="m12 3 9 5-9 5-9-5 9-5ZM3 12.5l9 5 9-5M3 17l9 5 9-5" />);
export const IconAccount = icon(
  <>
    <circle cx="12" cy="8" r="4" />
    <path d="M4.5 20.5c.8-3.8 3.8-6 7.5-6s6.7 2.2 7.5 6" />
  </>,
);
export const IconReference = icon(
  <path d="M5 4h10a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3V4ZM5 17a3 3 0 0 1 3-3h10M9 8h5" />,
);
export const IconAccounts = icon(
  <>
    <circle cx="9" cy="8" r="3.5" />
    <path d="M2.5 19.5c.7-3.3 3.2-5 6.5-5s5.8 1.7 6.5 5M16 5.2a3.3 3.3 0 0 1 0 6M18 14.8c1.9.7 3.1 2.3 3.5 4.7" />
  </>,
);
export const IconBan = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="m6 6 12 12" />
  </>,
);
export const IconAudit = icon(<path d="M6 3h12v18l-3-2-3 2-3-2-3 2V3ZM9.5 8h5M9.5 12h5" />);
export const IconSun = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4" />
  </>,
);
export const IconMoon = icon(<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z" />);
export const IconAuto = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 3.5v17a8.5 8.5 0 0 0 0-17Z" fill="currentColor" />
  </>,
);
export const IconPaw = icon(
  <>
    <path d="M12 12c-3 0-5.5 2.6-5.5 5.2 0 1.7 1.2 2.8 2.8 2.8 1 0 1.8-.5 2.7-.5s1.7.5 2.7.5c1.6 0 2.8-1.1 2.8-2.8C17.5 14.6 15 12 12 12Z" />
    <circle cx="5" cy="11" r="1.7" />
    <circle cx="9.2" cy="6.5" r="1.9" />
    <circle cx="14.8" cy="6.5" r="1.9" />
    <circle cx="19" cy="11" r="1.7" />
  </>,
);
export const IconSignOut = icon(<path d="M10 4H5v16h5M9.5 12H20M16 8l4 4-4 4" />);
