import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { textStatuses } from './lib/text/text-rows.ts';

const rows = {
  AttachmentID: required(f.id({ doc: 'The document.' })),
  State: required(
    f.text({
      doc:
        'Waiting, Reading or Ready; Unrecognized: its pictures wait for the program of OcrCommand; Failed: its text ' +
        'cannot be read.',
    }),
  ),
  Reason: f.text({ doc: 'Why its text is missing or incomplete.' }),
  PageCount: f.integer({ doc: 'Its pages, or the sections of a file without pages; empty until it is opened.' }),
  PagesRead: required(f.integer({ doc: 'How many of them are read, and found by searches.' })),
  Pictures: required(f.integer({ doc: 'How many of these are pictures.' })),
  Recognized: required(f.integer({ doc: 'How many pictures are recognized.' })),
  UpdatedDate: f.timestamp({ doc: 'When this last changed.' }),
};

export const operation = defineOperation({
  module: 'attachment',
  name: 'TextStatus',
  method: 'GET',
  summary: 'Returns how much of the text of documents has been extracted.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  // Whoever may search documents may know why one is not found.
  permission: 'AttachmentSearch',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The documents.', max: 1000 })) },
  returns: 'list',
  rows,
  errors: ['NOT_FOUND'],
  source: 'checklist DOC-07',
});

export const run = handle(operation, async (ctx, { ID }) => {
  // The door has checked that the documents are visible.
  const statuses = await ctx.actingAs('System', (system) => textStatuses(system.db, ID));
  return list(
    'Attachment',
    rows,
    statuses.map((status) => ({
      AttachmentID: status.id,
      State: status.state,
      Reason: status.reason,
      PageCount: status.pagecount,
      PagesRead: status.pagesread,
      Pictures: status.pictures,
      Recognized: status.recognized,
      UpdatedDate: status.updateddate,
    })),
  );
});
