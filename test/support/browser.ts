import { afterAll, beforeAll, describe } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/*
 * A real browser for tests. `describeWithBrowser` starts one for its tests and hands out a fresh
 * visitor to each; where there is no Chromium its tests are skipped, and say what to install.
 */

const USUAL_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** For root, for containers and for networks without a way out. */
const LAUNCH_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

const found = await findChromium();

/** Tests with a browser of their own; `open` makes a visitor without cookies or storage. */
export function describeWithBrowser(
  name: string,
  tests: (open: (options: VisitOptions) => Promise<Visitor>) => void,
): void {
  if (!found) {
    console.warn(
      `Skipped: ${name}. It needs a browser: install Chromium (apt-get install chromium), ` +
        'set CHROMIUM_PATH to one, or npm install --no-save @sparticuz/chromium.',
    );
    describe.skip(name, () => tests(() => Promise.reject(new Error('There is no browser.'))));
    return;
  }
  describe(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => browser.close());
    tests((options) => Visitor.open(browser, options));
  });
}

/** A browser without a window; whoever launches it closes it. Fails where there is none. */
export function launchBrowser(): Promise<Browser> {
  if (!found) throw new Error('There is no Chromium. Install one, or set CHROMIUM_PATH.');
  return chromium.launch({
    executablePath: found.path,
    args: [...LAUNCH_ARGUMENTS, ...found.args],
  });
}

export interface VisitOptions {
  /** Addresses of the service. A request to any other origin is a problem. */
  readonly service: string | readonly string[];
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  readonly locale?: string;
  readonly timezone?: string;
  /** Console errors that belong to the test, such as the 401 of a wrong password. */
  readonly expected?: readonly RegExp[];
  /** May paste and copy without being asked. */
  readonly clipboard?: boolean;
}

/** Someone who visits, in a browser profile of their own. */
export class Visitor implements AsyncDisposable {
  readonly page: Page;
  /** Console errors, errors that nothing caught, and requests to other origins: to be empty. */
  readonly problems: string[] = [];
  /** Every address that was requested, in order. */
  readonly requests: string[] = [];
  readonly #context: BrowserContext;

  private constructor(context: BrowserContext, page: Page, options: VisitOptions) {
    this.#context = context;
    this.page = page;
    const origins = new Set([options.service].flat().map((address) => new URL(address).origin));
    const note = (problem: string) => {
      if (!options.expected?.some((pattern) => pattern.test(problem))) this.problems.push(problem);
    };
    page.on('console', (message) => {
      const { url } = message.location();
      if (message.type() === 'error') note(`console: ${message.text()} (${url})`);
    });
    page.on('pageerror', (error) => note(`error: ${error.stack ?? error.message}`));
    const reached = (address: string) => {
      const { protocol, origin } = new URL(address);
      if (protocol === 'data:' || protocol === 'blob:') return;
      this.requests.push(address);
      if (!origins.has(origin.replace(/^ws/, 'http'))) note(`stranger: ${address}`);
    };
    context.on('request', (request) => reached(request.url()));
    page.on('websocket', (socket) => reached(socket.url()));
  }

  static async open(browser: Browser, options: VisitOptions): Promise<Visitor> {
    const context = await browser.newContext({
      viewport: options.viewport ?? DESKTOP,
      colorScheme: options.colorScheme ?? 'light',
      locale: options.locale ?? 'en-GB',
      timezoneId: options.timezone ?? 'Europe/Berlin',
      reducedMotion: 'reduce',
      permissions: options.clipboard ? ['clipboard-read', 'clipboard-write'] : [],
    });
    context.setDefaultTimeout(60_000);
    await context.addInitScript(`for (const type of ['pointerdown', 'keydown'])
      addEventListener(type, (event) => { window.firstInputAt ??= event.timeStamp; }, true);`);
    return new Visitor(context, await context.newPage(), options);
  }

  /** Cookies and storage of this profile. */
  get context(): BrowserContext {
    return this.#context;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#context.close();
  }
}

/** What axe finds wrong with the page as it stands, one line each. */
export async function checkAccessibility(page: Page): Promise<string[]> {
  const path = Bun.resolveSync('axe-core/axe.min.js', import.meta.dir);
  await inPage(page, `${readFileSync(path, 'utf8')};undefined`);
  const found = await inPage(
    page,
    `axe.run(document).then(({ violations }) => violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) =>
        id + ': ' + help + ' at ' + target.join(' ') + ' | ' + failureSummary)))`,
  );
  if (Array.isArray(found)) return found.map(String);
  throw new Error(`axe gave ${found}`);
}

/**
 * How far things jumped from the beginning of the load until the first click or key press; 0 is none
 * (cumulative layout shift). What follows an input may move, and when that happens depends on the
 * speed of the machine.
 */
export async function layoutShift(page: Page): Promise<number> {
  const total = await inPage(
    page,
    `new Promise((resolve) => {
      const shifts = [];
      const observer = new PerformanceObserver((list) => {
        shifts.push(...list.getEntriesByType('layout-shift'));
      });
      observer.observe({ type: 'layout-shift', buffered: true });
      const isBefore = ({ startTime }) => startTime < (window.firstInputAt ?? Infinity);
      const total = () => shifts.filter(isBefore).reduce((sum, { value }) => sum + value, 0);
      requestAnimationFrame(() => setTimeout(() => resolve(total())));
    })`,
  );
  return Number(total);
}

/** By the debugger's own door, which the page's Content-Security-Policy has no say about. */
async function inPage(page: Page, expression: string): Promise<unknown> {
  const session = await page.context().newCDPSession(page);
  try {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  } finally {
    await session.detach();
  }
}

interface Chromium {
  readonly path: string;
  readonly args: readonly string[];
}

async function findChromium(): Promise<Chromium | undefined> {
  const named = process.env['CHROMIUM_PATH'];
  const path = [...(named ? [named] : []), ...USUAL_PLACES].find((path) => existsSync(path));
  return path === undefined ? await findPackagedChromium() : { path, args: [] };
}

async function findPackagedChromium(): Promise<Chromium | undefined> {
  // No literal: the package is optional, and the compiler is not to look for it.
  const name: string = '@sparticuz/chromium';
  try {
    const { default: packaged } = await import(name);
    return { path: await packaged.executablePath(), args: packaged.args };
  } catch {
    return undefined;
  }
}
