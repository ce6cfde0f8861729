import './reference.css';
import { basePath } from '../page-settings.ts';
import { offerSearch } from '../search/search.ts';
import { showAccount } from './account.ts';
import { offerColorSchemes } from './color-scheme.ts';
import { addCopyButtons } from './copy-buttons.ts';
import { showCurrentPage } from './menu.ts';
import { rememberLanguage } from './samples.ts';
import { startTrying } from './try-it.ts';

/* The script of the API reference. The pages are readable without it. */

offerColorSchemes();
showCurrentPage();
addCopyButtons(document);
rememberLanguage();
startTrying();
offerSearch(basePath);
void showAccount();
