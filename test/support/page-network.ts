import type { Page } from 'playwright-core';

/**
 * Takes the connection of a page away, and gives it back. Of this page alone: a page of the same process that is online
 * sooner would announce the connection.
 */
export async function pageNetwork(
  page: Page,
): Promise<{ setOffline(offline: boolean): Promise<void> }> {
  const network = await page.context().newCDPSession(page);
  return {
    async setOffline(offline) {
      await network.send('Network.emulateNetworkConditions', {
        ...{ offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 },
      });
    },
  };
}
