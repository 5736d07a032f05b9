/**
 * A process that runs the test files that `npm test` hands to it, one after the other, and answers each with a FileReport.
 *
 * One process for many files saves starting Node and loading the platform for each (0.7 s of a core), and leaves the code
 * compiled. Each file still has databases of its own; it must leave nothing behind in the process: no listener, no
 * environment variable, nothing that keeps the process alive.
 *
 * It ends when the channel is closed and nothing keeps it alive any more.
 */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { noteUncaught } from './file-reporter.ts';
import { suiteOf } from './node-test.ts';

/** A file to run: its path from the top of the project. */
export interface FileOrder {
  readonly file: string;
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

process.on('message', ({ file, timeoutMilliseconds }: FileOrder) => {
  suiteOf(file, timeoutMilliseconds, () => import(pathToFileURL(join(ROOT, file)).href));
});
