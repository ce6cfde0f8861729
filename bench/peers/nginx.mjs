// Prints the configuration of an nginx that sends one constant reply: node nginx.mjs PORT REPLY
import { readArguments, readReply } from './reply.mjs';

const { port, files } = readArguments();
const { status, headers, body } = readReply(files[0]);
const { 'content-type': contentType, ...others } = headers;

function quote(text) {
  // nginx cannot escape a dollar sign in a value.
  if (text.includes('$')) throw new Error(`nginx cannot send a dollar sign: ${text}`);
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

const lines = Object.entries(others).map(([name, value]) => `add_header ${name} ${quote(value)};`);
console.log(`
worker_processes 1;
daemon off;
pid nginx.pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off;
  server_tokens off;
  keepalive_requests 1000000000;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  default_type ${contentType};
  server {
    listen 127.0.0.1:${port};
    location / {
      ${lines.join('\n      ')}
      return ${status} ${quote(body)};
    }
  }
}`);
