// Prints the contract with the recorded page as its example, so that Prism returns the same pets:
// bun prism-document.mjs OPENAPI REPLY
import { readFileSync } from 'node:fs';
import { readReply } from './reply.mjs';

const [openapi, replyFile] = process.argv.slice(2);
const document = JSON.parse(readFileSync(openapi, 'utf8'));
const content = document.paths['/pets'].get.responses['200'].content['application/json'];
delete content.examples;
content.example = JSON.parse(readReply(replyFile).body);
console.log(JSON.stringify(document));
