import { MAIL_INBOUND } from '../../../contracts/mail-inbound.ts';
import { list } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';

export const operation = defineOperation({
  module: 'mailinbound',
  name: 'Folders',
  method: 'POST',
  summary: 'Connects to a mailbox and lists its folders, as Folder and ReceivedFolder name them.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The mailbox.' })) },
  transactions: 'own',
  returns: { Folder: required(f.text({ doc: 'The name of the folder.' })) },
  answerName: 'Folders',
  errors: ['NOT_FOUND', 'UNAVAILABLE', 'STATE_REFUSES'],
  source: 'docs/guides/operators/mailboxes.md',
});

export const run = handle(operation, async (ctx) => {
  const { MailInbound: name } = namedRow(ctx, ctx.record);
  const folders = await ctx.providers.get(MAIL_INBOUND, String(name)).folders();
  return list(
    'Folder',
    operation.returns,
    folders.map((Folder) => ({ Folder })),
  );
});
