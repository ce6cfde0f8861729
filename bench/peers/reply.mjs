import { readFileSync } from 'node:fs';

/** Reads the recorded reply of the petstore: status, headers and body. */
export function readReply(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Reads the command line of a peer: a port, then its files. */
export function readArguments() {
  const [port, ...files] = process.argv.slice(2);
  return { port: Number(port), files };
}
