import type { Cipher } from '../../kernel/security/cipher.ts';
import type { QueueFilter, QueueMessage } from '../../kernel/ports/queue.ts';
import type { Db } from '../../kernel/database/store.ts';
import { INTERRUPTED, selectMessages } from '../shared/pgboss-sql.ts';
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
    const interrupted =
      row.ErrorCode === INTERRUPTED
        ? 'The process that ran the call ended, or took too long, before the call was done.'
        : null;
    return {
      ...row,
      ErrorMessage: failure?.message ?? interrupted,
      alerts: failure?.alerts ?? [],
      parameters,
      ...(parent === undefined ? {} : { parent }),
    };
  });
}
