// Fastify with its own plugins and better-sqlite3: node fastify.mjs PORT DATABASE KEYS REPLY
import Database from 'better-sqlite3';
import { servePets } from './fastify-app.mjs';
import { readArguments } from './reply.mjs';

const { port, files } = readArguments();
const [databaseFile, keyFile, replyFile] = files;

const database = new Database(databaseFile);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
const columns = 'id, name, category_id AS categoryId, status';
const list = database.prepare(`SELECT ${columns} FROM pets ORDER BY id LIMIT ?`);
const listByStatus = database.prepare(
  `SELECT ${columns} FROM pets WHERE status = ? ORDER BY id LIMIT ?`,
);
const insert = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');

await servePets({
  port,
  keyFile,
  replyFile,
  pets: {
    list: (limit) => list.all(limit),
    listByStatus: (status, limit) => listByStatus.all(status, limit),
    insert: ({ name, categoryId, status }) =>
      Number(insert.run(name, categoryId, status).lastInsertRowid),
  },
});
