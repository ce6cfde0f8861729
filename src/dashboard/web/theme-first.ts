/* Runs before the first paint, so that the dark scheme does not start with a white flash.
   Mantine stores the choice under this name, and later finds the attribute already set. */

document.documentElement.dataset['mantineColorScheme'] = isDark() ? 'dark' : 'light';

function isDark(): boolean {
  const chosen = chosenScheme();
  if (chosen === 'dark' || chosen === 'light') return chosen === 'dark';
  return matchMedia('(prefers-color-scheme: dark)').matches;
}

function chosenScheme(): string | null {
  try {
    return localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // Storage is disabled in this browser.
    return null;
  }
}
