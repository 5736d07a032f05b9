import type { Cipher } from '../../kernel/security/cipher.ts';
import type { DeadLetterCause, QueueFilter, QueueMessage } from '../../kernel/ports/queue.ts';
import type { Db } from '../../kernel/database/store.ts';
import { INTERRUPTED, selectMessages, type DeadLetterCauseRow } from '../shared/pgboss-sql.ts';
import { openFailure, openStoredCall } from './envelope.ts';

/** Returns the messages that match a filter, latest first, with their calls and the texts of their failures opened. */
export async function findMessages(
  db: Db,
  cipher: Cipher,
  filter: QueueFilter,
  queues: readonly string[],
): Promise<QueueMessage[]> {
  const rows = await selectMessages(db, filter, queues);
  return rows.map(({ sealed, call, ...row }) => {
    const { parameters, parent } = openStoredCall(cipher, call);
    const failure = sealed === null ? undefined : openFailure(cipher, sealed);
    return {
      ...row,
      ErrorMessage: failure?.message ?? interruptionText(row.ErrorCode),
      alerts: failure?.alerts ?? [],
      failures: row.failures ?? [],
      parameters,
      ...(parent === undefined ? {} : { parent }),
    };
  });
}

/** Returns the causes of dead letters with the texts of their latest failures opened. */
export function openCauses(
  cipher: Cipher,
  rows: readonly DeadLetterCauseRow[],
): { readonly causes: readonly DeadLetterCause[]; readonly looked: number } {
  return {
    causes: rows.map(({ sealed, looked: _looked, ...row }) => ({
      ...row,
      ErrorMessage: sealed === null ? interruptionText(row.ErrorCode) : openFailure(cipher, sealed).message,
    })),
    looked: rows[0]?.looked ?? 0,
  };
}

/** Returns the text of a failure that the worker did not live to write. */
function interruptionText(code: string | null): string | null {
  return code === INTERRUPTED
    ? 'The process that ran the call ended, or took too long, before the call was done.'
    : null;
}
