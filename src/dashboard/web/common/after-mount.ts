import { useEffect, useState } from 'react';

/**
 * Whether a dialog that is mounted when it opens, such as a lazily loaded one, is open. Always false at
 * the first render, because a dialog returns the focus only if it opens after it was mounted.
 */
export function useAfterMount(isOpen: boolean): boolean {
  const [isOpenNow, setOpenNow] = useState(false);
  useEffect(() => setOpenNow(isOpen), [isOpen]);
  return isOpen && isOpenNow;
}
