import ky from 'ky';
import { runTask } from './tasks.mjs';

const retry = { limit: 3, methods: ['get', 'post', 'patch'], jitter: true };

await runTask(async (method, url, { headers, body }) => {
  const reply = await ky(url, { method, headers, body, retry }).catch((error) => {
    if (error.response) return error.response;
    throw error;
  });
  return {
    status: reply.status,
    text: await reply.text(),
    header: (name) => reply.headers.get(name),
  };
});
