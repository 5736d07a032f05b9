#!/usr/bin/env node
// The command `casewright`. Plain JavaScript, like the starter that it hands everything to: it must run on the Node that a
// host happens to have, and the starter finds one that runs TypeScript.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.argv.splice(2, 0, join(root, 'src/app/casewright.ts'));
await import('../tools/run.mjs');
