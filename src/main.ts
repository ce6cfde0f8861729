import { runCli } from './cli/run.ts';

// Animals, accounts and keys are for their owner alone, whatever the folder allows.
process.umask(0o077);

process.exitCode = await runCli(process.argv.slice(2));
