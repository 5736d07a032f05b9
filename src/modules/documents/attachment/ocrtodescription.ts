import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { list } from '../../../kernel/door/answer.ts';
import { readTextsOf, requireText } from './lib/text/read-texts.ts';
import { readBody } from './lib/text/text-rows.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { assertServed, servedErrors } from './lib/scan/scan-gate.ts';

/** Most characters of a description: some four hundred pages. */
const DESCRIPTION_CHARACTERS_MAX = 1_000_000;
/** Most documents of one call. */
const DOCUMENTS_MAX = 1_000;

const rows = {
  AttachmentID: required(f.id({ doc: 'The document.' })),
  PageCount: f.integer({ doc: 'Its pages, or the sections of a file without pages.' }),
  Recognized: f.integer({ doc: 'How many of them were pictures and recognized.' }),
  Characters: required(f.integer({ doc: 'The length of its description.' })),
};

export const operation = defineOperation({
  module: 'attachment',
  name: 'OcrToDescription',
  method: 'GET',
  summary:
    'Copies the text of documents to their Description. The program that the setting OcrCommand names recognizes ' +
    'text in pictures and scanned pages. The description is at most a million characters long.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The documents.', max: DOCUMENTS_MAX })) },
  transactions: 'own',
  returns: 'list',
  rows,
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'OCR_UNAVAILABLE', 'TIMED_OUT', ...servedErrors],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const done = [];
  for (const id of new Set(ID)) {
    assertServed(ctx.settings, await readRecord(ctx.db, ctx.record, id));
    const [status] = await ctx.actingAs('System', (system) => readTextsOf(system, [id]));
    const { pagecount, recognized } = requireText(status, id);
    const description = await ctx.actingAs('System', (own) => readBody(own.db, id, DESCRIPTION_CHARACTERS_MAX));
    await ctx.inTransaction((own) => own.call('attachment/update', { ID: id, Description: description }));
    done.push({ AttachmentID: id, PageCount: pagecount, Recognized: recognized, Characters: description.length });
  }
  return list('Attachment', rows, done);
});
