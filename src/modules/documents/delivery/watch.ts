import { buffer } from 'node:stream/consumers';
import { MAIL_HOUSE } from '../../../contracts/delivery.ts';
import { assertMayWatch, watchAnswer, watchParameters, watchRequest, watchRow } from '../../../contracts/file-watch.ts';
import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import type { StoredDocument } from '../attachment/attachment.record.ts';
import { applyNotice } from './lib/apply-notice.ts';

/** Largest file that is read: far more than one with all reports that a file may have. */
const FILE_MEGABYTES_MAX = 16;

export const operation = defineOperation({
  module: 'delivery',
  name: 'Watch',
  method: 'GET',
  summary:
    'Polls the folder of acknowledgments and status files of a mail house, and applies each new file, exactly once. ' +
    'The files become documents of the mail house. Queue the call with a ScheduleName to watch continuously.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  // Whoever chooses the files that are read can report any letter as delivered.
  permission: 'MailHouseSave',
  params: {
    MailHouse: required(f.text({ doc: 'The mail house that the files come from, by name.', max: 100 })),
    ...watchParameters,
  },
  callsNamed: true,
  transactions: 'own',
  returns: watchAnswer,
  answerName: 'Watch',
  errors: ['BAD_PARAMETER', 'UNKNOWN_PROVIDER', 'UNAVAILABLE', 'NO_PERMISSION', 'BAD_SIGNATURE', 'TOO_LARGE'],
  source: '1-core §2, IDelivery',
});

export const run = handle(operation, async (ctx, params) => {
  assertMayWatch(ctx);
  const mailHouse = ctx.providers.get(MAIL_HOUSE, params.MailHouse);
  const name = ctx.providers.names(MAIL_HOUSE).find((one) => one.toLowerCase() === params.MailHouse.toLowerCase());
  const [house] = await ctx.db.query<{ id: number }>(
    'select mailhouseid as id from mailhouse where mailhouse = $1::text',
    [name ?? ''],
  );
  const outcome = await ctx.fileWatch.run(ctx, watchRequest('delivery/watch', params, false), {
    async begin(own, { fileName, token }) {
      const { row: saved } = await own.call('attachment/save', {
        Object: 'MailHouse',
        ObjectID: house?.id ?? 0,
        FileName: fileName,
        Staged: token,
      });
      const row: StoredDocument = await readRecord(own.db, own.registry.recordType('Attachment'), saved.AttachmentID);
      const content = await own.documents.content(row);
      if (content.size > FILE_MEGABYTES_MAX * 1_048_576)
        throw new PlatformError('TOO_LARGE', {
          message: `${fileName}: a status file of a mail house has at most ${FILE_MEGABYTES_MAX} MB.`,
        });
      const bytes = await buffer(content.open());
      const notice = { source: 'file' as const, headers: {}, fileName, bytes, now: own.clock.now() };
      await applyNotice(own, name ?? '', await mailHouse.parseNotice(notice));
      return { attachmentId: saved.AttachmentID };
    },
  });
  return item('Watch', watchAnswer, watchRow(outcome));
});
