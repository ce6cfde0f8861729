import { COLOR_SCHEME, ofBrowser, recall } from './remember.ts';

/* Runs before the first paint, so that the dark scheme does not start with a white flash.
   Mantine later finds the attribute already set. */

document.documentElement.dataset['mantineColorScheme'] = isDark() ? 'dark' : 'light';

function isDark(): boolean {
  const chosen = recall(ofBrowser, COLOR_SCHEME);
  if (chosen === 'dark' || chosen === 'light') return chosen === 'dark';
  return matchMedia('(prefers-color-scheme: dark)').matches;
}
