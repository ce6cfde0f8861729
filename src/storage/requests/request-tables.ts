import type { Environment } from '../../core/environments.ts';
import { columnsOf, integer, optionalText, type Table, text } from '../schema/columns.ts';
import { COUNT_COLUMNS } from './usage-columns.ts';

/** The tables with the usage and the request log of accounts. */
export const REQUEST_TABLES = {
  usage: {
    file: 'accounts',
    distributedBy: 'account_id',
    primaryKey: ['account_id', 'hour', 'environment'],
    columns: {
      account_id: text(),
      // Whole hours since the Unix epoch.
      hour: integer(),
      environment: text<Environment>(),
      ...columnsOf(integer(), 'succeeded', 'client_errors', 'limited', 'server_errors'),
    },
  },
  // The usage of keys by hour or, if `hours` is 24, by UTC day. `usage` has the counts of earlier releases.
  key_usage: {
    file: 'accounts',
    distributedBy: 'account_id',
    primaryKey: ['account_id', 'hour', 'hours', 'key_id', 'operation'],
    columns: {
      account_id: text(),
      // The first hour, in whole hours since the Unix epoch.
      ...columnsOf(integer(), 'hour', 'hours'),
      environment: text<Environment>(),
      ...columnsOf(text(), 'key_id', 'operation'),
      ...columnsOf(integer(), ...COUNT_COLUMNS),
    },
  },
  // The latest requests of each account.
  request_log: {
    file: 'requests',
    distributedBy: 'account_id',
    primaryKey: ['account_id', 'id'],
    columns: {
      ...columnsOf(text(), 'account_id', 'id'),
      at: integer(),
      request_id: text(),
      environment: text<Environment>(),
      ...columnsOf(text(), 'key_id', 'method', 'path'),
      status: integer(),
      ...columnsOf(optionalText(), 'code', 'message'),
      ...columnsOf(integer(), 'duration_micros', 'reply_bytes'),
      address: text(),
      ...columnsOf(optionalText(), 'user_agent', 'simulation'),
      // 1 if the reply was replayed from an earlier request.
      replayed: integer(),
      // Numbers; see `limitsText`.
      limits: text(),
      not_recorded: integer(),
    },
  },
} as const satisfies Readonly<Record<string, Table>>;
