/**
 * Why a connection must lead to one session of its own, in the words of the start's refusal and of the log.
 *
 * Reads of a firm rely on the session's role and firm: if a pooler hands the session to another connection, that one
 * sees the firm's rows, or all of them.
 */
export const POOLER_PROBLEM =
  'it is reached through a connection pooler such as PgBouncer, which does not preserve the role and the settings of ' +
  'a connection, in any of its modes. Row security depends on them. Connect to PostgreSQL itself (its own host and ' +
  'port): every process of Casewright has its own pools of connections';

/** Columns that {@link isDirect} compares. */
export const SESSION_COLUMNS = 'pg_backend_pid() as "backendPid"';

/** A row with {@link SESSION_COLUMNS}. */
export interface SessionRow {
  readonly backendPid: number;
}

/** The driver's result of a statement with these columns; `state.pid` is the process that accepted the connection. */
type SessionResult = readonly SessionRow[] & { readonly state: { readonly pid: number } };

/**
 * Whether the process that answered is the one that accepted the connection. PostgreSQL sends its process ID when it
 * accepts a connection, for canceling statements. A pooler cannot know that ID, because it assigns a process later, so
 * it sends a number of its own.
 */
export function isDirect(result: SessionResult): boolean {
  return result[0]?.backendPid === result.state.pid;
}
