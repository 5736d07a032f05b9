import { ConfigurationError } from './configuration-error.ts';
import { readEnvironment, type Environment } from './environment.ts';
import { watchParent } from './parent-watch.ts';
import { startServer } from './server.ts';

/** Signals within this time count as one: Ctrl-C arrives twice if a starter also forwards it. */
const ONE_SIGNAL_MILLISECONDS = 1_000;
/** Longest stop, in milliseconds; running jobs alone may take half of it. */
const STOP_MILLISECONDS_MAX = 60_000;

/** Exit code of a start that cannot succeed as configured (EX_CONFIG): a service manager should not retry. */
const EXIT_CONFIGURATION = 78;

/**
 * The server program: starts the roles that environment and arguments ask for, and stops on SIGINT, SIGTERM or SIGHUP.
 */
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
    // Let a running start finish first: stopping a half-started store is harder to get right, and it takes seconds.
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
        giveUp('it received a second signal to stop');
      else stop(0);
    });
  }
  watchParent(() => stop(0));
  const environment = readEnvironment(process.env, args);
  const print = printer(environment);
  const starting = startServer(environment, print, () => stop(1));
  const server = await starting;
  if (stopping) return;
  print(
    server.url === undefined
      ? `casewright ready as ${[...environment.roles].join(', ')}`
      : `casewright ready on ${server.url}`,
  );
}

/**
 * Returns a function that prints a line for people on standard output; if the log goes there, as a log line of every
 * level.
 */
function printer({ logTo }: Environment): (line: string) => void {
  const written =
    logTo === 'stdout'
      ? (line: string) => JSON.stringify({ level: 'info', time: new Date().toISOString(), msg: line })
      : (line: string) => line;
  return (line) => void process.stdout.write(`${written(line)}\n`);
}

/** Exits at once. The embedded PostgreSQL ends with this process and loses nothing committed. */
function giveUp(why: string): never {
  process.stderr.write(`casewright did not shut down cleanly: ${why}\n`);
  process.exit(1);
}

/** Serves until stopped. A failed start exits with one line that says why. */
export function serve(args: readonly string[]): void {
  run(args).catch((error: unknown) => {
    process.stderr.write(`casewright did not start: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof ConfigurationError ? EXIT_CONFIGURATION : 1);
  });
}
