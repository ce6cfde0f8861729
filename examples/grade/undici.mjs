import { Agent, RetryAgent, request } from 'undici';
import { runTask } from './tasks.mjs';

const retry = { maxRetries: 3, methods: ['GET', 'POST', 'PATCH'], throwOnError: false };
const dispatcher = new RetryAgent(new Agent(), retry);

await runTask(async (method, url, { headers, body }) => {
  const reply = await request(url, { dispatcher, method, headers, body });
  const text = await reply.body.text();
  return { status: reply.statusCode, text, header: (name) => reply.headers[name] };
});
