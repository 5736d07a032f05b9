/**
 * Loaded before the tests of a whole run: it keeps node:test from following every promise of the process.
 *
 * The runner follows them to say which test an error belongs to that nobody caught. It costs a third of the processor
 * where a test makes many calls, nearly all of it in clearing up after promises that came to their end. Timers, sockets and processes are
 * still followed; an uncaught error of which the test is not known fails its file instead.
 */
import hooks, { type HookCallbacks } from 'node:async_hooks';

const { createHook } = hooks;
// node:test takes the function when it is first loaded, which is here.
hooks.createHook = (options: HookCallbacks) => createHook({ ...options, trackPromises: false });
await import('node:test');
hooks.createHook = createHook;
