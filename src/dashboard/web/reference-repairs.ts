/*
 * Corrects accessibility defects in Scalar's markup as it appears. An entry may be removed when Scalar
 * no longer needs it; the test of the reference page shows that.
 */

type Repair = readonly [selector: string, apply: (element: Element) => void];

const REPAIRS: readonly Repair[] = [
  // The buttons of the sidebar are not options; the selected one marks the current section.
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

/** Corrects the elements of the page, and those that are added later. */
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
