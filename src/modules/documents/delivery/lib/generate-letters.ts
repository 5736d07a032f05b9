import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { MailClass } from '../../../../contracts/delivery.ts';
import type { StoredDocument } from '../../attachment/attachment.record.ts';
import { generateAndSave } from '../../lib/generation/generate-and-save.ts';
import { readTarget } from '../../lib/generation/generation-target.ts';
import { dollars } from './batch-rows.ts';
import { printedDocument } from './planned-letters.ts';
import { publishLetters, publishMailings } from './publish-letters.ts';

/** The columns of a letter that are written with its document. */
const GENERATED = [
  'Status',
  'Delivery',
  'AttachmentID',
  'FileHash',
  'Pages',
  'Sheets',
  'Cost',
  'Reason',
  'PreparedDate',
  'FailedDate',
] as const;

interface PendingLetter {
  readonly id: number;
  readonly object: string;
  readonly objectId: number;
  readonly templateId: number;
  readonly mailHouse: string;
  readonly mailClass: MailClass;
}

/**
 * Generates the documents of a mailing that have none yet, each in a transaction with its letter, and then marks the
 * mailing as prepared. After an interruption it continues with those that are missing.
 */
export async function generateLetters(ctx: Context, batchId: number): Promise<void> {
  const pending = await ctx.db.query<PendingLetter>(
    `select deliveryid as id, object, objectid as "objectId", attachmenttemplateid as "templateId",
       mailhouse as "mailHouse", mailclass as "mailClass"
     from delivery where deliverybatchid = $1::bigint and status = 'Preparing' order by deliveryid`,
    [batchId],
  );
  for (const letter of pending) {
    const problem = await generateLetter(ctx, letter);
    if (problem !== undefined) await ctx.inTransaction((own) => recordProblem(own, letter.id, problem));
  }
  await ctx.inTransaction(async (own) => {
    const rows = await own.db.query(
      `update deliverybatch
       set status = 'Prepared', updateddate = $2::timestamptz, updatedpersonid = $3::bigint, version = version + 1
       where deliverybatchid = $1::bigint and status = 'Preparing'
         and not exists (select from delivery d where d.deliverybatchid = $1::bigint and d.status = 'Preparing')
       returning 1`,
      [batchId, own.clock.now(), own.user.personId],
    );
    if (rows.length > 0) await publishMailings(own, [batchId], ['Status']);
  });
}

/** Generates the document of one letter. Returns why it cannot be mailed; undefined if it can. */
async function generateLetter(ctx: Context, letter: PendingLetter): Promise<string | undefined> {
  try {
    const { object: Object, objectId: ObjectID, templateId: TemplateID } = letter;
    const target = await ctx.inTransaction((own) => readTarget(own, { Object, ObjectID, TemplateID }, {}));
    await generateAndSave(ctx, { ...target, documentIds: [], values: {} }, async (own, saved) => {
      // Two calls may generate the same letter; the second finds it done, and its document is rolled back.
      await own.db.query("select from delivery where deliveryid = $1::bigint and status = 'Preparing' for update", [
        letter.id,
      ]);
      const row: StoredDocument = saved;
      const printed = await printedDocument(own, row, row.Attachment ?? target.type.name, letter);
      const { problem, document, pages, quote } = printed;
      const rows = await own.db.query(
        `update delivery
         set status = case when $2::text is null then 'Prepared' else 'Failed' end, delivery = $3::text,
           attachmentid = $4::bigint, filehash = $5::text, pages = $6::integer, sheets = $7::integer,
           cost = $8::numeric, reason = left($2::text, 300), updateddate = $9::timestamptz, version = version + 1,
           prepareddate = case when $2::text is null then $9::timestamptz end,
           faileddate = case when $2::text is not null then $9::timestamptz end
         where deliveryid = $1::bigint and status = 'Preparing' returning 1`,
        [
          letter.id,
          problem ?? null,
          row.Attachment ?? target.type.name,
          row.AttachmentID,
          document?.hash ?? null,
          pages ?? null,
          quote?.sheets ?? null,
          dollars(quote?.costCents),
          own.clock.now(),
        ],
      );
      if (rows.length === 0) throw new PlatformError('CONCURRENT_CHANGE');
      await publishLetters(own, [letter.id], GENERATED);
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return error.code === 'CONCURRENT_CHANGE' ? undefined : error.message;
  }
}

async function recordProblem(own: Context, id: number, problem: string): Promise<void> {
  const rows = await own.db.query(
    `update delivery
     set status = 'Failed', faileddate = $3::timestamptz, reason = left($2::text, 300), updateddate = $3::timestamptz,
       version = version + 1
     where deliveryid = $1::bigint and status = 'Preparing'
     returning 1`,
    [id, problem, own.clock.now()],
  );
  if (rows.length > 0) await publishLetters(own, [id], ['Status', 'FailedDate', 'Reason']);
}
