import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { FAVICON } from '../src/dashboard/pages/favicon.ts';
import { theme } from '../src/dashboard/web/theme.ts';
import { launchBrowser } from '../test/support/browser.ts';

/*
 * Draws the pictures of the pages from the icon and the theme, with Chromium: npm run icons
 *
 * - favicon.ico, for browsers and programs that do not read favicon.svg,
 * - preview.png, for messengers and sites that show a link to a page.
 */

const FOLDER = join(import.meta.dir, '..', 'src', 'dashboard', 'pages');

/** Width and height of the icon, in pixels. */
const ICON_SIZE = 32;

/** What `og:image:width` and `og:image:height` say. */
const PREVIEW_SIZE = { width: 1200, height: 630 };

const BLUE = theme.colors?.['blue']?.[7] ?? '';

const browser = await launchBrowser();
try {
  const page = await browser.newPage();
  await Bun.write(join(FOLDER, 'favicon.ico'), iconFile(await drawIcon(page)));
  await Bun.write(join(FOLDER, 'preview.png'), await drawPreview(page));
} finally {
  await browser.close();
}

async function drawIcon(page: Page): Promise<Uint8Array> {
  await page.setViewportSize({ width: ICON_SIZE, height: ICON_SIZE });
  await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${FAVICON}`);
  return page.screenshot({ omitBackground: true });
}

async function drawPreview(page: Page): Promise<Uint8Array> {
  const font = '@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2';
  const bytes = await Bun.file(Bun.resolveSync(font, import.meta.dir)).bytes();
  await page.setViewportSize(PREVIEW_SIZE);
  await page.setContent(`<style>
@font-face {
  font-family: Figtree;
  font-weight: 300 900;
  src: url(data:font/woff2;base64,${bytes.toBase64()});
}
body {
  box-sizing: border-box;
  height: 100vh;
  margin: 0;
  padding: 0 96px;
  display: flex;
  flex-direction: column;
  justify-content: center;
  background: ${BLUE};
  color: #fff;
  font-family: Figtree;
}
svg { width: 128px; height: 128px; margin-left: -14px }
h1 { margin: 32px 0 0; font-size: 80px; font-weight: 700; line-height: 1.1; letter-spacing: -0.02em }
p { margin: 24px 0 0; font-size: 36px; color: #dbe6fe }
</style>${FAVICON}<h1>A petstore that<br>really behaves</h1>
<p>A JSON API with real keys, rate limits and durable data.</p>`);
  await page.evaluate(() => document.fonts.ready);
  return page.screenshot();
}

/** An ICO file with one picture: the header, one entry, and the PNG. */
function iconFile(png: Uint8Array): Uint8Array {
  const header = new DataView(new ArrayBuffer(22));
  header.setUint16(2, 1, true);
  header.setUint16(4, 1, true);
  header.setUint8(6, ICON_SIZE);
  header.setUint8(7, ICON_SIZE);
  header.setUint16(10, 1, true);
  header.setUint16(12, 32, true);
  header.setUint32(14, png.length, true);
  header.setUint32(18, header.byteLength, true);
  return new Uint8Array([...new Uint8Array(header.buffer), ...png]);
}
