import type { Command } from 'commander';
import { addAccountsCommands } from './accounts.ts';
import { addAuditCommands } from './audit.ts';
import { addBackupCommands } from './backup.ts';
import { addBansCommands } from './bans.ts';
import { addContentsCommands } from './contents.ts';
import { addDatabaseCommands } from './database.ts';
import { addDocumentCommands } from './documents.ts';
import { addGradeCommand } from './grade.ts';
import { addHealthCommand } from './health.ts';
import { addKeysCommands } from './keys.ts';
import { addMcpCommand } from './mcp.ts';
import { addOrdersCommands } from './orders.ts';
import { addRequestsCommands } from './requests.ts';
import { addRunCommand } from './run-command.ts';
import { addStoreCommands } from './store.ts';

/** Adds every command but `serve`. */
export function addOtherCommands(program: Command): void {
  addRunCommand(program);
  addGradeCommand(program);
  addDocumentCommands(program);
  addContentsCommands(program);
  addAccountsCommands(program);
  addKeysCommands(program);
  addBansCommands(program);
  addOrdersCommands(program);
  addRequestsCommands(program);
  addAuditCommands(program);
  addBackupCommands(program);
  addStoreCommands(program);
  addDatabaseCommands(program);
  addHealthCommand(program);
  addMcpCommand(program);
}
