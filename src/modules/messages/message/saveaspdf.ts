import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { printHtml } from '../../documents/public/print-html.ts';
import { printedMessage } from '../lib/reading/printed-message.ts';

/** Longest name of the file before its extension. */
const NAME_CHARACTERS_MAX = 100;

export const operation = defineOperation({
  module: 'message',
  name: 'SaveAsPdf',
  method: 'GET',
  summary:
    'Prints a message to a PDF file, which is saved as a document of the message: its headers, its body with the ' +
    'pictures that came with it, and the names of its documents. Nothing is loaded from other servers.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The message.' })) },
  transactions: 'own',
  returns: 'item',
  answerName: 'Attachment',
  errors: ['NOT_FOUND', 'CONVERTER_UNAVAILABLE', 'UNREADABLE_DOCUMENT', 'TOO_LARGE', 'TIMED_OUT'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const row = namedRow(ctx, ctx.record);
  const subject = (row.Message ?? '').replace(/[\p{Cc}\s/\\:*?"<>|]+/gu, ' ').trim();
  const name = subject.slice(0, NAME_CHARACTERS_MAX).trim().toWellFormed() || 'Message';
  const bytes = await printHtml(ctx, await printedMessage(ctx, row), `${name}.pdf`);
  return ctx.inTransaction(async (own) => {
    const saved = await own.call('attachment/save', {
      Object: 'Message',
      ObjectID: ID,
      FileName: `${name}.pdf`,
      Content: Buffer.from(bytes).toString('base64'),
    });
    return recordItem(own.registry.recordType('Attachment'), saved.row);
  });
});
