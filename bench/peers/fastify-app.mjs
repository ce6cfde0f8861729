import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import bearerAuth from '@fastify/bearer-auth';
import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import { readReply } from './reply.mjs';

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

/**
 * Fastify with its own plugins on a store of pets: `list(limit)`, `listByStatus(status, limit)`
 * and `insert(body)`, which returns the new id. `limits` are options of the rate-limit plugin.
 */
export async function servePets({ port, keyFile, replyFile, pets, limits = {} }) {
  const { headers } = readReply(replyFile);
  // Headers of the petstore that no plugin sends here are constants, so that the replies have the same
  // headers.
  const constants = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(content-type|x-ratelimit-)/.test(name)),
  );
  const accounts = readAccounts(keyFile);

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
    ...limits,
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.headers(constants);
  });

  app.get(
    '/v1/pets',
    { schema: { querystring: listQuery, response: { 200: { type: 'array', items: pet } } } },
    async ({ query }) =>
      query.status ? pets.listByStatus(query.status, query.limit) : pets.list(query.limit),
  );
  app.post(
    '/v1/pets',
    { schema: { body: newPet, response: { 201: pet } } },
    async ({ body }, reply) => {
      const id = await pets.insert(body);
      reply.code(201);
      return { id, ...body };
    },
  );
  await app.listen({ host: '127.0.0.1', port });
}

function readAccounts(keyFile) {
  const keys = readFileSync(keyFile, 'utf8').trim().split('\n');
  return new Map(keys.map((key, index) => [digest(key), `account-${index}`]));
}

function digest(key) {
  return createHash('sha256').update(key).digest('base64');
}
