/**
 * Preloaded into a service. When the service receives the signal to end, this reports on stderr which modules
 * were loaded, and whether `process.stdout` was read, which loads all of Node's streams.
 */
export {};

/** In ms. */
const LATE = 100;
const NEVER = 2 ** 31 - 1;

// Work that is delayed that long is not part of a start, even in a slow test.
const { setTimeout } = globalThis;
const withoutLater = (work: () => void, delay = 0) =>
  setTimeout(work, delay < LATE ? delay : NEVER);
globalThis.setTimeout = Object.assign(withoutLater, setTimeout);

// Code that is loaded after the first reply waits for this, so it is not loaded before the report.
const reported = Promise.withResolvers<void>();
const { sleep } = Bun;
Object.assign(Bun, {
  async sleep(milliseconds: number) {
    await reported.promise;
    await sleep(milliseconds);
  },
});

let askedForStdout = false;
const { stdout } = process;
Object.defineProperty(process, 'stdout', {
  get() {
    askedForStdout = true;
    return stdout;
  },
});

process.on('SIGTERM', () => {
  const files = Object.keys(require.cache);
  console.error(`loaded ${JSON.stringify({ files, askedForStdout })}`);
  reported.resolve();
});
