#!/usr/bin/env node
/** The program: the real process, the real stages. */
import { processTerminal } from './process-terminal.js';
import { runCli } from './run.js';
import { lazyStages } from './stages.js';

// Standard input or a followed file may still be open: they do not keep the process.
process.exit(await runCli(process.argv.slice(2), processTerminal(), lazyStages));
