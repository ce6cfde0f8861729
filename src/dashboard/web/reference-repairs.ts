/*
 * What screen readers trip over in Scalar's markup, put right as it appears. Each entry may go when
 * Scalar no longer needs it; the test of the reference page tells.
 */

type Repair = readonly [selector: string, apply: (element: Element) => void];

const REPAIRS: readonly Repair[] = [
  // Buttons of the sidebar are no options: the chosen one is where the reader is.
  [
    'button[aria-selected]:not([role])',
    (button) => {
      if (button.getAttribute('aria-selected') === 'true') button.ariaCurrent = 'true';
      else button.removeAttribute('aria-current');
      button.removeAttribute('aria-selected');
    },
  ],
  ['aside[role="navigation"]', (aside) => aside.removeAttribute('role')],
  ['button[role="search"]', (button) => button.removeAttribute('role')],
  [
    '[role="tablist"] .client-libraries__select:not([role])',
    (button) => {
      button.role = 'tab';
      button.ariaSelected = 'false';
      button.ariaLabel = 'More languages';
    },
  ],
  [
    '.scalar-code-copy:not([aria-label])',
    (button) => {
      button.ariaLabel = 'Copy';
    },
  ],
];

/** Puts right what is in the page, and what comes to be in it. */
export function repairMarkup(page: HTMLElement): void {
  const repair = () => {
    for (const [selector, apply] of REPAIRS) page.querySelectorAll(selector).forEach(apply);
  };
  repair();
  new MutationObserver(repair).observe(page, {
    childList: true,
    subtree: true,
    attributeFilter: ['aria-selected', 'role'],
  });
}
