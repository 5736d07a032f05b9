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
 * Whether the rows of a result come from the very process that accepted the connection. PostgreSQL names the process
 * when it accepts the connection, to cancel statements; a pooler cannot name it, since it assigns one later, or others
 * in turn, and names a number of its own.
 */
export function isDirect(result: SessionResult): boolean {
  return result[0]?.backendPid === result.state.pid;
}
