import { item } from '../../../kernel/door/answer.ts';
import type { WatchedFile } from '../../../kernel/ports/file-watch.ts';
import { assertMayWatch, watchAnswer, watchParameters, watchRequest, watchRow } from '../../../contracts/file-watch.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { planOptions, planSave } from '../../../kernel/records/save/plan.ts';
import { assertSaveAllowed } from '../../../kernel/records/save/save-authorization.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'Watch',
  method: 'GET',
  summary:
    'Polls a storage location and creates a document for each new file, exactly once; copies or moves ' +
    'the files if requested. All other fields are fields of the documents. With Object and ObjectID the ' +
    'documents belong to that record; with Object alone, each belongs to the record whose ID is its ' +
    "folder's name. Queue the call with a ScheduleName to watch continuously.",
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: watchParameters,
  free: 'fields',
  callsNamed: true,
  transactions: 'own',
  returns: watchAnswer,
  answerName: 'Watch',
  errors: ['BAD_PARAMETER', 'NOT_FOUND', 'UNKNOWN_PROVIDER', 'UNAVAILABLE', 'NO_PERMISSION', 'BAD_SIGNATURE'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params, rest) => {
  assertMayWatch(ctx);
  const plan = planSave(ctx.registry, ctx.record, rest, planOptions(ctx));
  if (plan.id !== undefined || plan.subscriberId !== undefined)
    throw bad('ID', 'no identity: each file becomes a separate document');
  if (plan.values.FileName !== undefined) throw bad('FileName', 'no value: a document is named after its file');
  await assertSaveAllowed(ctx, plan);
  const byFolder = plan.values.Object !== undefined && plan.values.ObjectID === undefined;
  const outcome = await ctx.fileWatch.run(ctx, watchRequest('attachment/watch', params, false), {
    async begin(own, file) {
      const saved = await own.call(
        'attachment/save',
        { ...(byFolder ? { ObjectID: folderId(file) } : {}), FileName: file.fileName, Staged: file.token },
        rest,
      );
      return { attachmentId: saved.row.AttachmentID };
    },
  });
  return item('Watch', watchAnswer, watchRow(outcome));
});

/** The id that the folder of a file is named after. */
function folderId({ path }: WatchedFile): number {
  const folder = path.split('/').at(-2) ?? '';
  if (!/^[1-9]\d{0,14}$/.test(folder))
    throw bad('ObjectID', 'the ID of the record that the documents belong to, or a folder named after it');
  return Number(folder);
}
