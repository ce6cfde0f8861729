#!/usr/bin/env node
// Runs the service with the Bun that npm installed beside it, also where npm runs no install scripts.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const requireHere = createRequire(import.meta.url);
const bunPackage = requireHere.resolve('bun/package.json');
const { optionalDependencies: builds } = requireHere(bunPackage);
const requireOfBun = createRequire(bunPackage);

/** Where npm put Bun: in a package for this machine, from where Bun's install script moves it. */
function* installedBuilds() {
  const files = Object.keys(builds).flatMap((name) => [`${name}/bin/bun`, `${name}/bin/bun.exe`]);
  for (const file of [...files, 'bun/bin/bun.exe']) {
    try {
      yield requireOfBun.resolve(file);
    } catch {
      // For another machine, or moved.
    }
  }
}

function fail(message) {
  process.stderr.write(`petstore: ${message}\n`);
  process.exit(1);
}

const [bun] = installedBuilds();
if (bun === undefined) fail('Bun is not installed. Install again, with optional dependencies.');
// The package holds the bundled service; a checkout runs its source.
const mains = ['../src/main.ts', '../lib/main.js'].map((path) => new URL(path, import.meta.url));
const main = fileURLToPath(mains.find((file) => existsSync(file)) ?? mains[0]);
// `petstore run` must not pass the variables of `.env` on; other commands read the file by themselves.
const args = ['--no-env-file', main, ...process.argv.slice(2)];
const child = spawn(bun, args, { stdio: 'inherit' });
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
// A terminal sends it to both.
process.on('SIGINT', () => {
  if (!process.stdin.isTTY) child.kill('SIGINT');
});
stopWithShell();
child.on('error', ({ message }) => fail(message));
child.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
});

/**
 * npm runs a command in a shell, and signals that shell alone: some shells end without passing the signal on, and would
 * leave the service running. A script that does more than this command may have put it into the background, so there it
 * goes on.
 */
function stopWithShell() {
  const script = process.env.npm_lifecycle_script ?? '';
  if (!/^(?:\w+=\S* )*['"]?petstore['"]?(?: [^&;|]*)?$/.test(script)) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    child.kill('SIGTERM');
  }, 250);
  timer.unref();
}
