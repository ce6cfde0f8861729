// Bun.serve that sends the same reply to every request: bun bun-constant.mjs PORT REPLY
import { readArguments, readReply } from './reply.mjs';

const { port, files } = readArguments();
const { status, headers, body } = readReply(files[0]);
const init = { status, headers };

Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response(body, init) });
