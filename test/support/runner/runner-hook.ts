/**
 * Loaded before the tests of a whole run: keeps node:test from following every promise of the process.
 *
 * The runner follows them to find the test that an uncaught error belongs to. That takes a third of the processor time
 * of a test that makes many calls, nearly all of it for clearing up after settled promises. Timers, sockets and
 * processes are still followed; an uncaught error whose test is not known fails its file instead.
 */
import hooks, { type HookCallbacks } from 'node:async_hooks';

const { createHook } = hooks;
// node:test takes the function when it is first loaded, which is here.
hooks.createHook = (options: HookCallbacks) => createHook({ ...options, trackPromises: false });
await import('node:test');
hooks.createHook = createHook;
