import { Collector } from '../support/collector.ts';
import { temporaryFolder } from '../support/harness.ts';
import { ServiceProcess } from '../support/process.ts';
import { makeKey, onFolder } from '../support/storage.ts';

/** A service in its own process with a key, which sends its spans to a collector. */
export async function tracedService(
  settings: Record<string, string> = {},
  collector = new Collector(),
  wrap: readonly string[] = [],
) {
  const resources = new DisposableStack();
  const folder = resources.use(temporaryFolder());
  resources.use(collector);
  const key = await makeKey(folder.path);
  const all = { ...onFolder(folder.path), ...collector.settings, ...settings };
  const service = await ServiceProcess.start(all, [], wrap);
  return {
    service,
    collector,
    key,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      resources.dispose();
    },
  };
}
