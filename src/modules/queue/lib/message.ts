import { answerOf } from '../../../kernel/idempotency.ts';
import type { Cipher } from '../../../kernel/cipher.ts';
import { f } from '../../../kernel/field.ts';
import type { QueueMessage } from '../../../kernel/queue.ts';
import type { Db } from '../../../kernel/store.ts';

/** What is told of a queued call. */
export const messageFields = {
  QueueMessageID: f.text({ doc: 'Identifies the message.' }),
  QueueName: f.text({ doc: 'Its queue.' }),
  State: f.text({ doc: 'created, retry, active, completed, failed or dead.' }),
  Operation: f.text({ doc: 'The operation to call.' }),
  PersonID: f.id({ doc: 'As whom.' }),
  QueueLabel: f.text({ doc: 'The label that it was given.' }),
  ScheduleName: f.text({ doc: 'The schedule by which it recurs.' }),
  Attempts: f.integer({ doc: 'How often it was tried.' }),
  QueuedDate: f.timestamp({ doc: 'When it was queued.' }),
  StartAfter: f.timestamp({ doc: 'Not tried before.' }),
  CompletedDate: f.timestamp({ doc: 'When it ended.' }),
  ErrorCode: f.text({ doc: 'The code of the last failure, or OK.' }),
  ErrorMessage: f.text({ doc: 'What the last failure said.' }),
};

/** The kept answer of a message's call, or null where there is none (yet, or any more). */
export function resultOf(db: Db, cipher: Cipher, message: QueueMessage): Promise<string | null> {
  return answerOf(db, cipher, message.PersonID, `queue ${message.QueueMessageID}`);
}
