import type { Browser, BrowserContext, BrowserContextOptions, CDPSession } from 'playwright-core';

/** Where a reader is. */
export type Place = Pick<BrowserContextOptions, 'locale' | 'timezoneId'>;

const BERLIN: Place = { locale: 'en-GB', timezoneId: 'Europe/Berlin' };

/** A browser profile: a window with its own cookies, storage, permissions and cache. */
export interface BrowserProfile {
  readonly context: BrowserContext;
  /** A session with a tab that stays open: the window would close with its last tab. */
  readonly session: CDPSession;
}

interface Unused {
  readonly profile: BrowserProfile;
  /** Of the service that was visited last. */
  readonly origins: ReadonlySet<string>;
}

/**
 * The profiles of one browser. Profiles are emptied and reused, because opening a window costs more CPU time
 * than most tests do.
 */
export class BrowserProfiles {
  readonly browser: Browser;
  readonly #unused: Unused[] = [];
  readonly #place: Place;

  constructor(browser: Browser, place = BERLIN) {
    this.browser = browser;
    this.#place = place;
  }

  /**
   * An unused profile without cookies or storage.
   * @param origins of the service. A profile that visited it before still has its files in the cache.
   */
  async take(origins: ReadonlySet<string>): Promise<BrowserProfile> {
    const hasVisited = (unused: Unused) => unused.origins.symmetricDifference(origins).size === 0;
    const [unused] = this.#unused.splice(this.#unused.findIndex(hasVisited), 1);
    if (!unused) return this.#open();
    // Another service may have the same port, and cached files are shown even without a connection.
    if (!hasVisited(unused)) await unused.profile.session.send('Network.clearBrowserCache');
    return unused.profile;
  }

  /**
   * Empties a profile, so that no data reaches the next test.
   * @param origins whose storage it may contain.
   */
  async giveBack(profile: BrowserProfile, origins: ReadonlySet<string>): Promise<void> {
    const { context, session } = profile;
    const [, ...tabs] = context.pages();
    await Promise.all(tabs.map((tab) => tab.close()));
    await context.unrouteAll();
    await context.clearCookies();
    await context.clearPermissions();
    for (const origin of origins) {
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    }
    this.#unused.push({ profile, origins });
  }

  async #open(): Promise<BrowserProfile> {
    const context = await this.browser.newContext({ ...this.#place, reducedMotion: 'reduce' });
    context.setDefaultTimeout(60_000);
    await context.addInitScript(`for (const type of ['pointerdown', 'keydown'])
      addEventListener(type, (event) => { window.firstInputAt ??= event.timeStamp; }, true);`);
    const session = await context.newCDPSession(await context.newPage());
    return { context, session };
  }
}
