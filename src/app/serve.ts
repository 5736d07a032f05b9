import { ConfigurationError } from './configuration-error.ts';
import { readEnvironment, type Environment } from './environment.ts';
import { watchParent } from './parent-watch.ts';
import { startServer } from './server.ts';

/** Ctrl-C reaches the program twice when a starter passes it on too: signals so close together are one. */
const ONE_SIGNAL_MILLISECONDS = 1_000;
/** A stop that takes longer is broken off; running jobs alone may take half of it. */
const STOP_MILLISECONDS_MAX = 60_000;

/** The exit code of a start that cannot succeed as things are set up (EX_CONFIG): a service manager need not try again. */
const EXIT_CONFIGURATION = 78;

/** The program: starts what environment and arguments ask for, says when it serves, and stops in good order when it is told to. */
async function run(args: readonly string[]): Promise<void> {
  let stopping: Promise<void> | undefined;
  let stoppedAt = 0;
  const stop = (code: number): void => {
    if (stopping) return;
    stoppedAt = performance.now();
    setTimeout(
      () => giveUp(`it did not stop within ${STOP_MILLISECONDS_MAX / 1_000} seconds`),
      STOP_MILLISECONDS_MAX,
    ).unref();
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
      if (stopping && performance.now() - stoppedAt > ONE_SIGNAL_MILLISECONDS)
        giveUp('it was told to stop a second time');
      else stop(0);
    });
  }
  watchParent(() => stop(0));
  const environment = readEnvironment(process.env, args);
  const say = sayer(environment);
  const starting = startServer(environment, say, () => stop(1));
  const server = await starting;
  if (stopping) return;
  say(
    server.url === undefined
      ? `casewright ready as ${[...environment.roles].join(', ')}`
      : `casewright ready on ${server.url}`,
  );
}

/** What is said to people goes to standard output; where that is the log's, as a line of the log that every level shows. */
function sayer({ logTo }: Environment): (line: string) => void {
  const written =
    logTo === 'stdout'
      ? (line: string) => JSON.stringify({ level: 'info', time: new Date().toISOString(), msg: line })
      : (line: string) => line;
  return (line) => void process.stdout.write(`${written(line)}\n`);
}

/** Ends at once; the embedded PostgreSQL ends with this process and loses nothing that was committed. */
function giveUp(why: string): never {
  process.stderr.write(`casewright was not stopped in good order: ${why}\n`);
  process.exit(1);
}

/** Serves until it is told to stop. A start that fails ends the process with one line of why. */
export function serve(args: readonly string[]): void {
  run(args).catch((error: unknown) => {
    process.stderr.write(`casewright did not start: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof ConfigurationError ? EXIT_CONFIGURATION : 1);
  });
}
