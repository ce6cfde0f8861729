import { startTransition, useEffect, useState } from 'react';

/*
 * Content that takes long is rendered as a transition: React renders it in small steps, between which the page reacts.
 */

/** The rows that are drawn first: about as many as a window shows. */
const FIRST_ROWS = 12;

/** The rows of a list that are drawn: the first ones at once, the others in small steps. */
export function useRowsInSteps<Row>(rows: readonly Row[]): readonly Row[] {
  const [isFirst, setFirst] = useState(true);
  useEffect(() => startTransition(() => setFirst(false)), []);
  return isFirst ? rows.slice(0, FIRST_ROWS) : rows;
}

/** Whether content is drawn: at once if it is ready from the beginning, and otherwise in small steps once it is ready. */
export function useInSteps(isReady: boolean): boolean {
  const [isDrawn, setDrawn] = useState(isReady);
  useEffect(() => startTransition(() => setDrawn(isReady)), [isReady]);
  return isDrawn && isReady;
}
