import { runCli } from './cli/run.ts';

// Stored pets, accounts and keys are readable by their owner alone, regardless of the permissions of the folder.
process.umask(0o077);

process.exitCode = await runCli(process.argv.slice(2));
