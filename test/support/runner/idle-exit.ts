/** The end of a test process: it exits when nothing keeps it alive, and says what does after a while. */

/** For so long something may keep a process alive after its last file; otherwise a test has left it running. */
export const EXIT_SECONDS_MAX = 15;
/** The exit code of a process that something kept alive. */
export const KEPT_ALIVE = 90;

/**
 * Ends the process if something keeps it alive for too long, and prints what: `TCPServerWrap`, `Timeout`.
 *
 * The timer itself keeps nothing alive. What happens once nothing does takes no part in the time: if Node's compile
 * cache is empty, a process writes several thousand files of it when it exits, for many seconds on a busy machine.
 */
export function exitWhenIdle(): void {
  setTimeout(() => {
    console.error(`Test process ${process.pid} is kept alive by ${process.getActiveResourcesInfo().join(', ')}.`);
    process.exit(KEPT_ALIVE);
  }, EXIT_SECONDS_MAX * 1_000).unref();
}
