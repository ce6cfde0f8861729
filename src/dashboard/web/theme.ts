import {
  Badge,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  type MantineThemeOverride,
  Notification,
} from '@mantine/core';

/** The one blue of the pages. */
const blue: MantineColorsTuple = [
  '#eef4ff',
  '#dbe6fe',
  '#bdd2fd',
  '#8fb4fb',
  '#6597f7',
  '#3f7af0',
  '#2962e3',
  '#1f4fd0',
  '#1c43ab',
  '#1c3b87',
];

const night: MantineColorsTuple = [
  '#dce1e2',
  '#b9c1c3',
  '#8d9799',
  '#667073',
  '#3a4346',
  '#2e3638',
  '#20272a',
  '#161b1d',
  '#111517',
  '#0b0e0f',
];

export const theme: MantineThemeOverride = createTheme({
  primaryColor: 'accent',
  colors: { accent: blue, blue, dark: night },
  primaryShade: 7,
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--monospace-font)',
  components: {
    Badge: Badge.extend({ defaultProps: { tt: 'none' } }),
    Notification: Notification.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } },
    }),
    // Without an import, which would add dialogs to the first page's download.
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // Rendered as `header`, each would be a second banner landmark of the page.
    ModalHeader: { defaultProps: { role: 'none' } },
    DrawerHeader: { defaultProps: { role: 'none' } },
  },
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.75rem', lineHeight: '1.25' } },
  },
});

/** Mantine's own values lack the contrast that WCAG AA requires. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#56606b',
    '--mantine-color-placeholder': '#6b747d',
    '--mantine-color-error': '#c22a2a',
    '--mantine-color-yellow-light-color': '#744800',
    '--mantine-color-red-light-color': '#a51d1d',
  },
  dark: {
    '--mantine-color-accent-light': '#1b2b4d',
    '--mantine-color-anchor': blue[3],
    '--mantine-color-dimmed': '#a9b2b4',
    '--mantine-color-placeholder': '#a0a5aa',
    '--mantine-color-error': '#ff9a9a',
  },
});
