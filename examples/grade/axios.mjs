import axios from 'axios';
import axiosRetry, { exponentialDelay, isNetworkError, isRetryableError } from 'axios-retry';
import { runTask } from './tasks.mjs';

const client = axios.create({ responseType: 'text', transformResponse: (text) => text });
const retryCondition = (error) => isNetworkError(error) || isRetryableError(error);
axiosRetry(client, { retries: 3, retryDelay: exponentialDelay, retryCondition });

await runTask(async (method, url, { headers, body }) => {
  const reply = await client({ method, url, headers, data: body }).catch((error) => {
    if (error.response) return error.response;
    throw error;
  });
  return { status: reply.status, text: reply.data, header: (name) => reply.headers[name] };
});
