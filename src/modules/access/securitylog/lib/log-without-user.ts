/** Runs a statement, on a connection without the platform's store. */
type StatementRunner = (text: string, values: string[]) => PromiseLike<unknown>;

/**
 * Writes an entry of the security log in the journal's format, without a user: nobody is signed in at a command line.
 */
export async function logWithoutUser(
  run: StatementRunner,
  { event, object, detail }: { readonly event: string; readonly object: string; readonly detail: string },
): Promise<void> {
  await run('insert into securitylog (securitylog, object, detail) values ($1, $2, $3)', [event, object, detail]);
}
