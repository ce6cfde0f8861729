import { afterAll, beforeAll, describe } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserServer,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import { lazy } from '../../src/lib/lazy.ts';
import { type BrowserProfile, BrowserProfiles } from './browser-profiles.ts';

/*
 * A real browser for tests. `describeWithBrowser` starts one and gives each test a new visitor. Without
 * Chromium the tests are skipped, with a message about what to install.
 */

/** The headless shell first: it has no windows and takes a quarter less CPU time. */
const USUAL_PLACES = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** For root, for containers, and for networks without internet access. */
const LAUNCH_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A profile's pages share one process: starting one for each page takes a quarter of the browser's CPU time.
  '--renderer-process-limit=1',
];

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

const MISSING = 'There is no Chromium. Install one, or set CHROMIUM_PATH.';

const found = await findChromium();

/** Address of the browser that was started for all test files of this run, if any. */
const STARTED = process.env['TESTED_BROWSER'];

/** Tests with their own browser; `open` makes a visitor without cookies or storage. */
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
    let profiles: BrowserProfiles;
    beforeAll(async () => {
      profiles =
        STARTED === undefined ? new BrowserProfiles(await launchBrowser()) : await shared();
    });
    afterAll(async () => {
      if (STARTED === undefined) await profiles.browser.close();
    });
    tests((options) => Visitor.open(profiles, options));
  });
}

/** The profiles of this process in the started browser, which disposes of them when the process ends. */
const shared = lazy(async () => new BrowserProfiles(await chromium.connect(STARTED ?? '')));

/** A headless browser; the caller closes it. Fails without Chromium. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch(launchOptions());
}

/** A browser that several processes share by its address; `undefined` without Chromium. */
export async function serveBrowser(): Promise<BrowserServer | undefined> {
  return found && (await chromium.launchServer(launchOptions()));
}

function launchOptions() {
  if (!found) throw new Error(MISSING);
  return { executablePath: found.path, args: [...LAUNCH_ARGUMENTS, ...found.args] };
}

/** The path of Chromium. Fails if it is not installed. */
export function chromiumPath(): string {
  if (!found) throw new Error(MISSING);
  return found.path;
}

export interface VisitOptions {
  /** Addresses of the service. A request to any other origin is a problem. */
  readonly service: string | readonly string[];
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  /** Console errors that belong to the test, such as the 401 of a wrong password. */
  readonly expected?: readonly RegExp[];
  /** Allows the clipboard without a prompt. */
  readonly clipboard?: boolean;
  /** Whether the test replaces the clock of its pages, which would stay in the profile for later tests. */
  readonly replacesClock?: boolean;
}

/** A visitor with its own browser profile. */
export class Visitor implements AsyncDisposable {
  readonly page: Page;
  /** Console errors, uncaught errors, and requests to other origins; must stay empty. */
  readonly problems: string[] = [];
  /** Every address that was requested, in order. */
  readonly requests: string[] = [];
  readonly #profiles: BrowserProfiles;
  readonly #profile: BrowserProfile;
  readonly #origins: ReadonlySet<string>;
  readonly #expected: readonly RegExp[];
  readonly #isReusable: boolean;
  readonly #noteRequest = (request: Request) => this.#reached(request.url());

  private constructor(
    profiles: BrowserProfiles,
    profile: BrowserProfile,
    page: Page,
    origins: ReadonlySet<string>,
    { expected = [], replacesClock = false }: VisitOptions,
  ) {
    this.#profiles = profiles;
    this.#profile = profile;
    this.page = page;
    this.#origins = origins;
    this.#expected = expected;
    this.#isReusable = !replacesClock;
    page.on('console', (message) => {
      const { url } = message.location();
      if (message.type() === 'error') this.#note(`console: ${message.text()} (${url})`);
    });
    page.on('pageerror', (error) => this.#note(`error: ${error.stack ?? error.message}`));
    page.on('websocket', (socket) => this.#reached(socket.url()));
    this.context.on('request', this.#noteRequest);
  }

  static async open(profiles: BrowserProfiles, options: VisitOptions): Promise<Visitor> {
    const addresses = [options.service].flat();
    const origins = new Set(addresses.map((address) => new URL(address).origin));
    const profile = await profiles.take(origins);
    const page = await profile.context.newPage();
    await page.setViewportSize(options.viewport ?? DESKTOP);
    await page.emulateMedia({ colorScheme: options.colorScheme ?? 'light' });
    // Permissions that are not granted are denied without a prompt.
    const granted = options.clipboard ? ['clipboard-read', 'clipboard-write'] : [];
    await profile.context.grantPermissions(granted);
    return new Visitor(profiles, profile, page, origins, options);
  }

  /** Cookies and storage of this profile. */
  get context(): BrowserContext {
    return this.#profile.context;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.context.off('request', this.#noteRequest);
    if (this.#isReusable) await this.#profiles.giveBack(this.#profile, this.#origins);
    else await this.context.close();
  }

  #reached(address: string): void {
    const { protocol, origin } = new URL(address);
    if (protocol === 'data:' || protocol === 'blob:') return;
    this.requests.push(address);
    if (!this.#origins.has(origin.replace(/^ws/, 'http'))) this.#note(`stranger: ${address}`);
  }

  #note(problem: string): void {
    if (!this.#expected.some((pattern) => pattern.test(problem))) this.problems.push(problem);
  }
}

/** The accessibility problems that axe finds on the page in its current state, one line each. */
export async function checkAccessibility(page: Page): Promise<string[]> {
  if (!(await inPage(page, "'axe' in window"))) {
    const path = Bun.resolveSync('axe-core/axe.min.js', import.meta.dir);
    await inPage(page, `${readFileSync(path, 'utf8')};undefined`);
  }
  const found = await inPage(
    page,
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) =>
        id + ': ' + help + ' at ' + target.join(' ') + ' | ' + failureSummary)))`,
  );
  if (Array.isArray(found)) return found.map(String);
  throw new Error(`axe gave ${found}`);
}

/**
 * How far elements moved between the start of the load and the first click or key press (cumulative layout
 * shift): 0 is not at all, otherwise the distance and what moved. Movement after an input is allowed, and its
 * time depends on the speed of the machine.
 */
export async function layoutShift(page: Page): Promise<0 | string> {
  const moved = await inPage(
    page,
    `new Promise((resolve) => {
      const shifts = [];
      const observer = new PerformanceObserver((list) => {
        shifts.push(...list.getEntriesByType('layout-shift'));
      });
      observer.observe({ type: 'layout-shift', buffered: true });
      const isBefore = ({ startTime }) => startTime < (window.firstInputAt ?? Infinity);
      const textOf = ({ node, previousRect, currentRect }) =>
        [node?.outerHTML?.slice(0, 100), JSON.stringify(previousRect), JSON.stringify(currentRect)].join(' ');
      const words = ({ value, sources }) => [value, ...sources.map(textOf)].join('\\n');
      requestAnimationFrame(() => setTimeout(() => resolve(shifts.filter(isBefore).map(words).join('\\n'))));
    })`,
  );
  return moved === '' ? 0 : String(moved);
}

/** Evaluates an expression with the debugger, which the page's Content-Security-Policy does not restrict. */
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
  // Not a literal: the package is optional, and the compiler must not resolve it.
  const name: string = '@sparticuz/chromium';
  try {
    const { default: packaged } = await import(name);
    return { path: await packaged.executablePath(), args: packaged.args };
  } catch {
    return undefined;
  }
}
