import './reference.css';
import { offerSearch } from '../search/search.ts';
import { offerColorSchemes } from './color-scheme.ts';
import { addCopyButtons } from './copy-buttons.ts';
import { rememberLanguage } from './samples.ts';
import { startTrying } from './try-it.ts';

/*
 * The script of the pages of the API reference, which can be read without it.
 */

offerColorSchemes();
addCopyButtons(document);
rememberLanguage();
startTrying();
offerSearch(basePath());

/** Path of the dashboard's address, without a slash at its end. */
function basePath(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? '';
}
