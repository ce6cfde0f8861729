// Fastify with its own plugins and better-sqlite3: node fastify.mjs PORT DATABASE KEYS REPLY
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import bearerAuth from '@fastify/bearer-auth';
import rateLimit from '@fastify/rate-limit';
import Database from 'better-sqlite3';
import Fastify from 'fastify';
import { readArguments, readReply } from './reply.mjs';

const { port, files } = readArguments();
const [databaseFile, keyFile, replyFile] = files;
const { headers } = readReply(replyFile);

/** What the petstore sends and no plugin here does, as constants: the replies carry the same set. */
const constants = Object.fromEntries(
  Object.entries(headers).filter(([name]) => !/^(content-type|x-ratelimit-)/.test(name)),
);

const accounts = new Map();
for (const [index, key] of readFileSync(keyFile, 'utf8').trim().split('\n').entries()) {
  accounts.set(digest(key), `account-${index}`);
}

const database = new Database(databaseFile);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
const columns = 'id, name, category_id AS categoryId, status';
const list = database.prepare(`SELECT ${columns} FROM pets ORDER BY id LIMIT ?`);
const listByStatus = database.prepare(
  `SELECT ${columns} FROM pets WHERE status = ? ORDER BY id LIMIT ?`,
);
const insert = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');

const status = { type: 'string', enum: ['available', 'pending', 'sold'] };
const pet = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    categoryId: { type: 'integer' },
    status,
  },
};
const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 255 },
    categoryId: { type: 'integer' },
    status: { ...status, default: 'available' },
  },
};
const listQuery = {
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, status },
};

const app = Fastify({ logger: false });
app.decorateRequest('account', null);
await app.register(bearerAuth, {
  keys: [],
  auth: (key, request) => {
    request.account = accounts.get(digest(key)) ?? null;
    return request.account !== null;
  },
});
await app.register(rateLimit, {
  max: 500_000_000,
  timeWindow: '1 minute',
  cache: accounts.size + 1,
  keyGenerator: (request) => request.account,
});
app.addHook('onSend', async (_request, reply) => {
  reply.headers(constants);
});

app.get(
  '/v1/pets',
  { schema: { querystring: listQuery, response: { 200: { type: 'array', items: pet } } } },
  async ({ query }) =>
    query.status ? listByStatus.all(query.status, query.limit) : list.all(query.limit),
);
app.post(
  '/v1/pets',
  { schema: { body: newPet, response: { 201: pet } } },
  async ({ body }, reply) => {
    const { lastInsertRowid } = insert.run(body.name, body.categoryId, body.status);
    reply.code(201);
    return { id: Number(lastInsertRowid), ...body };
  },
);

await app.listen({ host: '127.0.0.1', port });

function digest(key) {
  return createHash('sha256').update(key).digest('base64');
}
