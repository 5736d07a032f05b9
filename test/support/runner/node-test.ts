/**
 * Replaces `node:test` in test files that a suite worker runs, many in one process: what a file declares becomes
 * part of the suite of that file.
 *
 * node:test finds the suite that a declaration belongs to by the asynchronous resource in which it is made. Importing a
 * file leaves that resource, and so does every `await` (runner-hook.ts keeps node:test from following promises). Here
 * each suite makes a resource, and each declaration is made inside the resource of its suite.
 */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { after as realAfter, afterEach as realAfterEach, before as realBefore } from 'node:test';
import { beforeEach as realBeforeEach, suite as realSuite, test as realTest } from 'node:test';
import { fileURLToPath } from 'node:url';
import { getCallSites } from 'node:util';

/** Where a test is declared; node:test itself would take this file for the place. */
export interface Declared {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

type Declare = (...parameters: never[]) => unknown;
type Body = (context: unknown) => unknown;
/** A test, suite or hook of the present file. */
interface Releasable {
  body: Body | undefined;
}

const suites = new AsyncLocalStorage<AsyncResource>();
let suiteOfFile: AsyncResource | undefined;
let declared = new Map<string, Declared>();
/**
 * What the present file declared. node:test never forgets a test, and so what its functions refer to, such as the
 * platform of every file that the process has run.
 */
let releasable: Releasable[] = [];

/** Runs the tests that a file declares while it is imported as one suite named after the file. */
export function suiteOf(file: string, timeoutMilliseconds: number, importFile: () => Promise<unknown>): void {
  declared = new Map();
  for (const each of releasable) each.body = undefined;
  releasable = [];
  // Its end is reported by the reporter: the promise of a suite is fulfilled at once.
  void realSuite(file, { timeout: timeoutMilliseconds }, () => {
    suiteOfFile = new AsyncResource('test file');
    return suites.run(suiteOfFile, importFile) as Promise<void>;
  });
}

/** Returns where the test of that name was declared last in the present file. */
export function placeOf(name: string): Declared | undefined {
  return declared.get(name);
}

function inSuite<Call extends Declare>(declare: Call): Call {
  return ((...parameters: unknown[]) =>
    (suites.getStore() ?? suiteOfFile)?.runInAsyncScope(
      declare as unknown as (...all: unknown[]) => unknown,
      undefined,
      ...parameters.map((each) => (typeof each === 'function' ? forgettable(each as Body) : each)),
    )) as unknown as Call;
}

/** Returns a function that calls this one until the file has ended. */
function forgettable(body: Body): Body {
  const one: Releasable = { body };
  releasable.push(one);
  return (context) => {
    if (context instanceof Object && 'after' in context) context.after = forgetting(context.after as Hook, context);
    return one.body?.(context);
  };
}

type Hook = (clean: Body) => void;

/** Returns a context's function `after`, whose hooks are forgotten too. */
function forgetting(declare: Hook, context: object): Hook {
  return (clean) => declare.call(context, forgettable(clean));
}

function named<Call extends Declare>(declare: Call): Call {
  const inside = inSuite(declare);
  return ((...parameters: never[]) => {
    // The caller of this function, of which the first site is this function itself.
    const [, site] = getCallSites(2);
    if (site)
      declared.set(String(parameters[0]), {
        file: fileURLToPath(site.scriptName),
        line: site.lineNumber,
        column: site.columnNumber,
      });
    return inside(...parameters);
  }) as unknown as Call;
}

const nestedSuite = ((...parameters: unknown[]) => {
  const body = parameters.pop() as Body;
  const declare = realSuite as unknown as (...all: unknown[]) => unknown;
  return declare(...parameters, (context: unknown) => suites.run(new AsyncResource('suite'), body, context));
}) as unknown as typeof realSuite;

export const suite = named(nestedSuite);
export const describe = suite;
export const test = named(realTest);
export const it = test;
export const after = inSuite(realAfter);
export const before = inSuite(realBefore);
export const afterEach = inSuite(realAfterEach);
export const beforeEach = inSuite(realBeforeEach);
export default test;
