import {
  convertCssVariables,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from '@mantine/core';
import { theme, variables } from '../theme.ts';

const merged = mergeMantineTheme(DEFAULT_THEME, theme);

/**
 * The theme as CSS variables, for the pages with Mantine's components and those without. The second
 * part overrides the first.
 */
export const themeStyles = [defaultCssVariablesResolver(merged), variables(merged)]
  .map((each) => convertCssVariables(each, ':root'))
  .join('\n');
