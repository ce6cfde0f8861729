// Fastify with its own plugins on PostgreSQL and Redis:
// node fastify-postgres.mjs PORT DATABASE_URL REDIS_URL KEYS REPLY
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { servePets } from './fastify-app.mjs';
import { readArguments } from './reply.mjs';

const { port, files } = readArguments();
const [databaseUrl, redisUrl, keyFile, replyFile] = files;

const sql = postgres(databaseUrl, {
  // As many connections as the petstore has.
  max: 10,
  types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
});

await servePets({
  port,
  keyFile,
  replyFile,
  limits: { redis: new Redis(redisUrl) },
  pets: {
    list: (limit) => sql`
      SELECT id, name, category_id AS "categoryId", status
      FROM peer.pets ORDER BY id LIMIT ${limit}`,
    listByStatus: (status, limit) => sql`
      SELECT id, name, category_id AS "categoryId", status
      FROM peer.pets WHERE status = ${status} ORDER BY id LIMIT ${limit}`,
    async insert({ name, categoryId, status }) {
      const [row] = await sql`
        INSERT INTO peer.pets (name, category_id, status)
        VALUES (${name}, ${categoryId}, ${status}) RETURNING id`;
      return row.id;
    },
  },
});
