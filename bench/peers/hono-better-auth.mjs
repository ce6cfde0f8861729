// Hono on Bun, each key verified by better-auth:
// bun hono-better-auth.mjs PORT DATABASE AUTH_DATABASE REPLY
import { Database } from 'bun:sqlite';
import { Hono } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { openAuth } from './hono-auth.mjs';
import { readArguments, readReply } from './reply.mjs';

const { port, files } = readArguments();
const [databaseFile, authFile, replyFile] = files;
const { auth } = openAuth(authFile);
const { 'content-type': _, ...constants } = readReply(replyFile).headers;
const database = new Database(databaseFile, { readonly: true });
const list = database.query(
  'SELECT id, name, category_id AS categoryId, status FROM pets ORDER BY id LIMIT ?',
);

const app = new Hono();
app.use(
  '/v1/*',
  bearerAuth({
    verifyToken: async (key) => (await auth.api.verifyApiKey({ body: { key } })).valid,
  }),
);
app.get('/v1/pets', (context) => context.json(list.all(20), 200, constants));

Bun.serve({ hostname: '127.0.0.1', port, fetch: app.fetch });
