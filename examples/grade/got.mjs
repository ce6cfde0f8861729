import got from 'got';
import { runTask } from './tasks.mjs';

const retry = { limit: 3, methods: ['GET', 'POST', 'PATCH'] };

await runTask(async (method, url, { headers, body }) => {
  const reply = await got(url, { method, headers, body, retry }).catch((error) => {
    if (error.response?.body) return error.response;
    throw error;
  });
  return { status: reply.statusCode, text: reply.body, header: (name) => reply.headers[name] };
});
