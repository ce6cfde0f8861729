// node:http that sends the same reply to every request: node node-constant.mjs PORT REPLY
import { createServer } from 'node:http';
import { readArguments, readReply } from './reply.mjs';

const { port, files } = readArguments();
const { status, headers, body } = readReply(files[0]);
const bytes = Buffer.from(body);
const head = { ...headers, 'Content-Length': bytes.length };

createServer((_request, response) => {
  response.writeHead(status, head);
  response.end(bytes);
}).listen(port, '127.0.0.1');
