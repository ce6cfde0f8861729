import { COLOR_SCHEME, ofBrowser, recall, remember } from '../remember.ts';

const SYSTEM = matchMedia('(prefers-color-scheme: dark)');

/** Shows the choice between light and dark, which the dashboard and the reference share. */
export function offerColorSchemes(): void {
  const select = document.querySelector<HTMLSelectElement>('.color-scheme select');
  if (!select) return;
  select.value = recall(ofBrowser, COLOR_SCHEME) ?? 'auto';
  const apply = () => {
    const isDark = select.value === 'auto' ? SYSTEM.matches : select.value === 'dark';
    document.documentElement.dataset['mantineColorScheme'] = isDark ? 'dark' : 'light';
  };
  select.addEventListener('change', () => {
    remember(ofBrowser, COLOR_SCHEME, select.value);
    apply();
  });
  SYSTEM.addEventListener('change', apply);
}
