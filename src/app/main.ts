import { readEnvironment } from './environment.ts';
import { watchParent } from './parent-watch.ts';
import { startServer } from './server.ts';

/** Ctrl-C reaches the program twice when a starter passes it on too: signals so close together are one. */
const ONE_SIGNAL_MILLISECONDS = 1_000;
/** A stop that takes longer is broken off; running jobs alone may take half of it. */
const STOP_MILLISECONDS_MAX = 60_000;

/** The program: starts what environment and arguments ask for, says when it serves, and stops in good order when it is told to. */
async function main(): Promise<void> {
  let stopping: Promise<void> | undefined;
  let stoppedAt = 0;
  const stop = (code: number): void => {
    if (stopping) return;
    stoppedAt = performance.now();
    setTimeout(() => giveUp(`it did not stop within ${STOP_MILLISECONDS_MAX / 1_000} seconds`), STOP_MILLISECONDS_MAX).unref();
    // A start that is under way is finished first: stopping a half-made store is harder to get right, and it takes seconds.
    stopping = (async () => {
      const server = await starting.catch(() => undefined);
      await server?.stop();
      process.exit(code);
    })();
    stopping.catch((error: unknown) => giveUp(String(error)));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping && performance.now() - stoppedAt > ONE_SIGNAL_MILLISECONDS) giveUp('it was told to stop a second time');
      else stop(0);
    });
  }
  watchParent(() => stop(0));
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const environment = readEnvironment(process.env, process.argv.slice(2));
  const starting = startServer(environment, say, () => stop(1));
  const server = await starting;
  if (stopping) return;
  say(server.url === undefined ? `casewright ready as ${[...environment.roles].join(', ')}` : `casewright ready on ${server.url}`);
}

/** Ends at once; the embedded PostgreSQL ends with this process and loses nothing that was committed. */
function giveUp(why: string): never {
  process.stderr.write(`casewright was not stopped in good order: ${why}\n`);
  process.exit(1);
}

main().catch((error: unknown) => {
  process.stderr.write(`casewright did not start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
