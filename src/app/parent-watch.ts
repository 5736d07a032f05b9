import { isSameProcess, processIdentity } from './process-identity.ts';

const pollIntervalMs = 500;

/**
 * Calls `onGone` once when a process that started this one has ended. Returns a function that stops watching.
 *
 * A killed starter or npm does not notify its children, so a server would continue alone. Watched are the parent
 * process, whose end gives this process another parent, and the processes that tools/run.mjs names: itself
 * (CASEWRIGHT_STARTER_PID, in case it ended before the first check) and npm (CASEWRIGHT_PARENT_PID). Child programs
 * inherit those names, and end with them if they watch. The watch does not keep the process alive.
 */
export function watchParent(
  onGone: (who: string) => void,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): () => void {
  const parent = process.ppid;
  const named = [
    { who: 'the starter', ...identify(environment['CASEWRIGHT_STARTER_PID']) },
    { who: 'npm', ...identify(environment['CASEWRIGHT_PARENT_PID']) },
  ];
  const timer = setInterval(() => {
    const gone =
      process.ppid !== parent
        ? 'the parent process'
        : named.find(
            ({ pid, identity }) => pid !== undefined && (identity === undefined || !isSameProcess(pid, identity)),
          )?.who;
    if (gone === undefined) return;
    clearInterval(timer);
    onGone(gone);
  }, pollIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

function identify(text: string | undefined): { pid: number | undefined; identity: string | undefined } {
  const pid = Number(text);
  if (text === undefined || !Number.isInteger(pid) || pid <= 0) return { pid: undefined, identity: undefined };
  return { pid, identity: processIdentity(pid) };
}
