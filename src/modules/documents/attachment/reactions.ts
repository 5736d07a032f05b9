import { defineCheck, defineGuard } from '../../../kernel/declare/reaction.ts';
import { process } from '../../cases/process/process.record.ts';
import { attachment } from './attachment.record.ts';
import { assertCaseNotHeld, assertDocumentNotHeld } from './lib/holds/legal-holds.ts';
import { assertMayChangeTemplate } from './lib/template-documents.ts';
import { assertSavedTemplate, mayChangeTemplate } from './lib/template-upload.ts';

export const checks = [
  defineCheck({
    on: attachment,
    doc: 'A document of a document type is a template that its generator can read, with fields that its data have.',
    applies: async (_ctx, save) => mayChangeTemplate(save),
    run: assertSavedTemplate,
  }),
];

export const guards = [
  defineGuard({
    on: attachment,
    decidesBy: 'record',
    changes: ['update', 'delete'],
    doc:
      'A document on legal hold, or of a case on legal hold, is not deleted or taken off its case, nor replaced if ' +
      'it is sealed.',
    async before(ctx, { id, change, columns }) {
      if (change === 'delete') return assertDocumentNotHeld(ctx, id, 'it cannot be deleted');
      if (columns.has('Object') || columns.has('ObjectID'))
        await assertDocumentNotHeld(ctx, id, 'it cannot be moved to another record');
      // Of sealed files no earlier versions are kept.
      if (columns.has('FileSize')) await assertSealedNotReplaced(ctx, id);
    },
  }),
  defineGuard({
    on: attachment,
    decidesBy: 'record',
    doc:
      'Only users who may save document types change the documents of one: its newest document is the template of ' +
      'every document of the type.',
    before: (ctx, { id }) => assertMayChangeTemplate(ctx, id),
    async after(ctx, { id, change, columns }) {
      if (change !== 'update' || columns.has('Object') || columns.has('ObjectID'))
        await assertMayChangeTemplate(ctx, id);
    },
  }),
  defineGuard({
    on: process,
    decidesBy: 'record',
    changes: ['delete'],
    doc: 'A case on legal hold, or with a document on legal hold, is not deleted.',
    before: (ctx, { record, id }) => assertCaseNotHeld(ctx, { object: record.name, id }),
  }),
];

async function assertSealedNotReplaced(ctx: Parameters<typeof assertDocumentNotHeld>[0], id: number): Promise<void> {
  const [sealed] = await ctx.db.query('select 1 from attachment where attachmentid = $1::bigint and sealed', [id]);
  if (sealed) await assertDocumentNotHeld(ctx, id, 'its file, which is stored encrypted, cannot be replaced');
}
