/**
 * Preloaded into a service: once that is told to end, it tells on stderr what was loaded until then,
 * and whether `process.stdout` was asked for, which loads all of Node's streams.
 */
export {};

const SECOND = 1_000;
const NEVER = 2 ** 31 - 1;

// What is put off for a second or more is no part of a start, however long a test takes.
const { setTimeout } = globalThis;
const withoutLater = (work: () => void, delay = 0) =>
  setTimeout(work, delay < SECOND ? delay : NEVER);
globalThis.setTimeout = Object.assign(withoutLater, setTimeout);

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
});
