import { NARROWEST } from '../../web/narrow-scene.ts';
import { everyPage } from '../every-page.ts';
import type { Walker } from '../walker.ts';

/** Reads enlarged text: every page in a window of 320 px. */
export function narrowWindow(walker: Walker): Promise<void> {
  return everyPage(walker, NARROWEST);
}
