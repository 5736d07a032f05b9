import { item } from '../../../kernel/door/answer.ts';
import { discardStaged } from '../../../kernel/documents/discard-staged.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { findMailbox } from '../lib/receiving/mailboxes.ts';
import { retryReceipt } from '../lib/receiving/retry-receipt.ts';

export const operation = defineOperation({
  module: 'mailreceipt',
  name: 'Retry',
  method: 'POST',
  summary:
    'Reads an email that was set aside once more from its stored source, and stores it as a message if that ' +
    'succeeds now.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The received mail.' })) },
  transactions: 'own',
  returns: {
    MailReceiptID: required(f.id({ doc: 'The received mail.' })),
    Status: required(f.text({ doc: 'Its status now.' })),
    MessageID: f.id({ doc: 'The message that it became.', to: 'Message' }),
    Reason: f.text({ doc: 'Why it is still set aside.' }),
  },
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'UNAVAILABLE'],
  source: 'checklist MSG-05',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const receipt = namedRow(ctx, ctx.record);
  const refuse = (message: string): never => {
    throw new PlatformError('STATE_REFUSES', { field: 'ID', message: `ID: ${message}` });
  };
  if (receipt.Status === 'SetAside') {
    if (receipt.AttachmentID === null || receipt.MailInboundID === null)
      return refuse('the source of this email is not stored. Receive it from the server again.');
    const mailbox = await findMailbox(ctx.db, receipt.MailInboundID);
    if (!mailbox) return refuse('the mailbox of this email was deleted.');
    const raw = await readRecord(ctx.db, ctx.registry.recordType('Attachment'), receipt.AttachmentID);
    const staged = await retryReceipt(ctx, mailbox, { id: ID, receipt, raw });
    await discardStaged(ctx, staged);
  }
  const now = await readRecord(ctx.db, ctx.record, ID);
  return item('MailReceipt', operation.returns, {
    MailReceiptID: ID,
    Status: now.Status ?? '',
    MessageID: now.MessageID,
    Reason: now.Reason,
  });
});
