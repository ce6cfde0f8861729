import { expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { type VisitOptions, Visitor } from '../support/browser.ts';
import { BrowserProfiles, type Place } from '../support/browser-profiles.ts';
import type { ServiceOptions, TestService } from '../support/harness.ts';
import { expectFine, startWithPages } from '../web/web-sign-in-scene.ts';

/** What one walk needs: a service, browsers, and a record of how far it has come. */
export class Walker implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #started = performance.now();
  readonly #stack = new AsyncDisposableStack();
  readonly #visitors: Visitor[] = [];
  #place: Place | undefined;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Since the start of the walk. */
  get seconds(): number {
    return (performance.now() - this.#started) / 1_000;
  }

  /** The real service with all its pages, until the end of the walk. */
  async serve(options?: ServiceOptions): Promise<TestService> {
    return this.#stack.use(await startWithPages(options));
  }

  /** Opens browsers in another country from now on. */
  goTo(place: Place): void {
    this.#place = place;
  }

  /** A new browser; what it reports as a problem is a fault of the walk. */
  readonly open = async (options: VisitOptions): Promise<Visitor> => {
    const profiles = new BrowserProfiles(this.#browser, this.#place);
    const visitor = this.#stack.use(await Visitor.open(profiles, options));
    this.#visitors.push(visitor);
    return visitor;
  };

  /** Says what comes next, so that a fault is found at the last of these lines. */
  step(sentence: string): void {
    console.log(`${this.seconds.toFixed(1).padStart(7)} s  ${sentence}`);
  }

  /** Checks the page as it is: accessibility, layout shifts, overflow, and what the browser has reported. */
  async look(page: Page): Promise<void> {
    await expectFine(page);
    this.expectNoProblems();
  }

  expectNoProblems(): void {
    expect(this.#visitors.flatMap(({ problems }) => problems)).toEqual([]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
