/**
 * A process that runs the test files that `npm test` hands to it, one after the other, and answers each with a
 * FileReport.
 *
 * One process for many files saves starting Node and loading the platform for each (0.7 s of a core), and leaves the
 * code compiled. Each file still has databases of its own; it must leave nothing behind in the process: no listener, no
 * environment variable, nothing that keeps the process alive.
 *
 * It ends when the channel is closed and nothing keeps it alive any more.
 */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import type { TestServer } from '../database.ts';
import './refusal-log.ts';
import './statement-log.ts';
import { noteUncaught } from './file-reporter.ts';
import { exitWhenIdle } from './idle-exit.ts';
import { suiteOf } from './node-test.ts';

/** A file to run. */
export interface FileOrder {
  /** Its path from the top of the project. */
  readonly file: string;
  /** What the file is called in the report: its path, and the server where that is not the usual one. */
  readonly label: string;
  readonly server: TestServer;
  readonly timeoutMilliseconds: number;
}

const ROOT = join(import.meta.dirname, '../../..');
const TESTS = pathToFileURL(join(ROOT, 'test')).href;
const STAND_IN = new URL('./node-test.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    return specifier === 'node:test' && context.parentURL !== STAND_IN && context.parentURL?.startsWith(TESTS) === true
      ? { url: STAND_IN, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context);
  },
});

// node:test knows of few errors that nobody catches which test they belong to; the file that is running fails for them.
process.on('uncaughtExceptionMonitor', (error) => noteUncaught(inspect(error)));
process.on('unhandledRejection', (reason) => noteUncaught(inspect(reason)));

process.on('message', ({ file, label, server, timeoutMilliseconds }: FileOrder) => {
  process.env['CASEWRIGHT_TEST_POSTGRES'] = JSON.stringify(server);
  const { href } = pathToFileURL(join(ROOT, file));
  // Under another address the file is evaluated once more for its second server.
  suiteOf(label, timeoutMilliseconds, () => import(label === file ? href : `${href}?${encodeURIComponent(label)}`));
});

process.once('disconnect', exitWhenIdle);
