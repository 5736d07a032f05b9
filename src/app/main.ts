import { readEnvironment } from './environment.ts';
import { watchParent } from './parent-watch.ts';
import { startServer, type RunningServer } from './server.ts';

/** The program: starts what environment and arguments ask for, says when it serves, and stops in good order when it is told to. */
async function main(): Promise<void> {
  let server: RunningServer | undefined;
  let stopping: Promise<void> | undefined;
  const stop = (code: number): void => {
    stopping ??= (async () => {
      await server?.stop();
      process.exit(code);
    })();
    stopping.catch((error: unknown) => {
      process.stderr.write(`casewright could not stop in good order: ${String(error)}\n`);
      process.exit(1);
    });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0));
  watchParent(() => stop(0));
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const environment = readEnvironment(process.env, process.argv.slice(2));
  server = await startServer(environment, say, () => stop(1));
  say(server.url === undefined ? `casewright ready as ${[...environment.roles].join(', ')}` : `casewright ready on ${server.url}`);
}

main().catch((error: unknown) => {
  process.stderr.write(`casewright did not start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
