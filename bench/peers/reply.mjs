import { readFileSync } from 'node:fs';

/** The recorded reply that a constant peer gives: status, headers and body of the petstore's own. */
export function readReply(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Command line of every peer: a port, then the files it needs. */
export function readArguments() {
  const [port, ...files] = process.argv.slice(2);
  return { port: Number(port), files };
}
