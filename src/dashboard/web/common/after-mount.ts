import { useEffect, useState } from 'react';

/**
 * Whether something that is loaded when it is first opened is open: not yet when it is mounted, since a dialog
 * returns the focus only if it opens afterwards.
 */
export function useAfterMount(isOpen: boolean): boolean {
  const [isOpenNow, setOpenNow] = useState(false);
  useEffect(() => setOpenNow(isOpen), [isOpen]);
  return isOpenNow;
}
