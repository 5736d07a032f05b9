import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import type { MessageFile } from '../lib/reading/message-files.ts';
import { readSecureMessage, requireReading } from '../lib/secure/secure-message.ts';

export const operation = defineOperation({
  module: 'securelink',
  name: 'Read',
  method: 'POST',
  summary:
    'Returns the message of a secure link to its recipient: a user who reaches the message, or whoever has the ' +
    'one-time code that was mailed to the address. Each reading is recorded.',
  effect: 'write',
  idempotent: true,
  access: 'anonymous',
  params: {
    Token: f.secret({ doc: 'The part of the mailed link after the last slash.', max: 200 }),
    Code: f.secret({ doc: 'The one-time code. Five wrong ones end it.', max: 20 }),
    Ticket: f.secret({ doc: 'Instead of a code: the Ticket of an earlier answer.', max: 400 }),
    Images: f.boolean({ doc: 'Whether pictures of other servers are shown.', default: false }),
  },
  transactions: 'own',
  returns: {
    MessageID: f.id({ doc: 'For users who reach it: the message.' }),
    Subject: f.personal({ doc: 'The subject.' }),
    FromName: f.personal({ doc: "The sender's name." }),
    FromAddress: f.personal({ doc: "The sender's address." }),
    SentDate: f.timestamp({ doc: 'When it was sent.' }),
    BodyKind: required(f.choice(['html', 'text'], { doc: 'Whether it was written as HTML or as text.' })),
    Body: f.body({ doc: 'The body as HTML without anything active, for a sandboxed frame.' }),
    BlockedImages: required(f.integer({ doc: 'Pictures of other servers that were left out.' })),
    Files: f.json({ doc: 'The documents: a list of `ID`, `Name`, `MimeType` and `Size`.' }),
    Ticket: f.text({ doc: 'With a code: proof for later calls, valid for half an hour.' }),
  },
  answerName: 'SecureMessage',
  errors: ['NO_PERMISSION', 'TOO_MANY'],
  source: 'decisions, SecureDelivery',
});

/** Pictures in the text are shown there. */
function shownFiles(files: readonly MessageFile[]): readonly MessageFile[] {
  return files.filter(({ isInline }) => !isInline);
}

export const run = handle(operation, async (ctx, { Token, Code, Ticket, Images }) => {
  const reading = await requireReading(ctx, { token: Token, code: Code, ticket: Ticket });
  const { row, frame, files } = await readSecureMessage(ctx, reading, Images);
  return item('SecureMessage', operation.returns, {
    MessageID: reading.personId === undefined ? null : row.MessageID,
    Subject: row.Message,
    FromName: row.FromName,
    FromAddress: row.FromAddress,
    SentDate: row.SentDate ?? row.CreatedDate,
    BodyKind: frame.kind,
    Body: frame.html,
    BlockedImages: frame.blockedImages,
    Files: shownFiles(files).map(({ id, name, mime, size }) => ({ ID: id, Name: name, MimeType: mime, Size: size })),
    Ticket: reading.ticket === '' ? null : reading.ticket,
  });
});
