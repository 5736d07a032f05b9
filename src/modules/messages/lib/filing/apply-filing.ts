import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import { planColumns } from '../../../../kernel/records/save/plan.ts';
import { saveRecord } from '../../../../kernel/records/save/save-record.ts';
import { message } from '../../message/message.record.ts';
import { detailText, type Evidence, type FiledRecord, type Filing } from './filing.ts';
import { plainSubject } from './subject-text.ts';

/** Returns the columns of a message that is filed by some evidence. */
export function filingValues(evidence: Evidence, subject: string): Values<typeof message> {
  const { filedBy, detail, answers, record } = evidence;
  return {
    ...(record
      ? {
          Object: record.object,
          ObjectID: record.objectId,
          Status: 'Received',
          FiledBy: filedBy,
          FiledDetail: detailText(detail),
        }
      : {}),
    ...(answers
      ? {
          ParentMessageID: answers.messageId,
          ThreadID: answers.threadId,
          SubjectChanged: plainSubject(answers.subject) !== plainSubject(subject),
        }
      : {}),
  };
}

/** Changes a stored message to be filed as some evidence says. */
export async function fileMessage(
  own: Context,
  { id, subject }: { readonly id: number; readonly subject: string },
  evidence: Evidence,
  more: Values<typeof message> = {},
): Promise<Row<typeof message>> {
  const values = { ...filingValues(evidence, subject), ...more };
  return (await saveRecord(own, { ...planColumns(message, values), id }, 'update')).row;
}

/**
 * Throws unless a mailbox of a firm may file on a record: one that this firm reaches. Mail of one firm is never filed
 * on a record of another, whatever a rule or a person says.
 */
export async function assertOfFirm(db: Db, { object, objectId }: FiledRecord, firm: number | null): Promise<void> {
  if (firm === null) return;
  const [row] = await db.query<{ reaches: boolean | null }>(
    'select $3::bigint = any(casewright_reach_below($1::text, $2::bigint)) as reaches',
    [object, objectId, firm],
  );
  if (row?.reaches === true) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'ObjectID',
    message:
      `ObjectID: the mailbox belongs to a firm that does not see ${object} ${objectId}; ` +
      'its mail is not filed there.',
  });
}

/** A record to which an unfiled message probably belongs. */
export interface Proposal extends FiledRecord {
  readonly messageId: number;
  readonly parentMessageId: number | null;
  readonly filedBy: Evidence['filedBy'];
  readonly detail: string;
}

/** Stores to which record a message probably belongs, if its evidence names one. */
export async function storeProposal(own: Context, messageId: number, { evidence }: Filing): Promise<void> {
  const { record, answers, filedBy, detail } = evidence;
  if (!record) return;
  await own.db.query(
    `insert into messageproposal (messageid, object, objectid, parentmessageid, filedby, detail, createddate)
     values ($1::bigint, $2::text, $3::bigint, $4::bigint, $5::text, $6::text, $7::timestamptz)
     on conflict (messageid) do nothing`,
    [
      messageId,
      record.object,
      record.objectId,
      answers?.messageId ?? null,
      filedBy,
      detailText(detail),
      own.clock.now(),
    ],
  );
}
