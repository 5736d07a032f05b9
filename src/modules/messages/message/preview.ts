import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertMergeValues } from './lib/merge-values.ts';
import { compositionNames, compositionParameters } from './lib/message-parameters.ts';
import { previewMessage } from './lib/preview-message.ts';

export const operation = defineOperation({
  module: 'message',
  name: 'Preview',
  method: 'GET',
  summary:
    'Shows the message that message/generate would write: its texts, its recipients with where each comes from, and ' +
    'what is wrong. Stores and sends nothing. Parameters such as MessageTemplate_Subject preview a template that is ' +
    'being edited.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: compositionNames,
  params: compositionParameters,
  free: 'any',
  checkQueued: (_ctx, _params, values) => assertMergeValues(values),
  transactions: 'own',
  returns: {
    Subject: f.personal({ doc: 'The subject.', max: 1000 }),
    BodyText: f.body({ doc: 'The body as plain text.' }),
    BodyHTML: f.body({ doc: 'The body as HTML, as it would be sent: sanitize it before you show it.' }),
    FromAddress: f.personal({ doc: "The sender's address; none for the mail server's.", max: 255 }),
    FromName: f.personal({ doc: "The sender's name.", max: 255 }),
    MessageType: required(f.text({ doc: 'Email, Text or Note.', max: 100 })),
    MessageTemplateID: f.id({ doc: 'The template.', to: 'MessageTemplate' }),
    VersionID: f.id({ doc: 'The version of the template in the language of the recipients.', to: 'MessageTemplate' }),
    SecureDelivery: f.boolean({ doc: 'Whether recipients get only a notice with a link.' }),
    Provider: f.text({ doc: 'The mail server; none for the default.', max: 100 }),
    RecipientCount: required(f.integer({ doc: 'How many recipients there are.' })),
    Recipients: required(
      f.json({
        doc:
          'The first 200 recipients, each with Kind (To, Cc, Bcc, ReplyTo), Address, Name, ContactID, PersonID, and ' +
          'Source: the parameter or the column of the template that it comes from.',
      }),
    ),
    DocumentTypes: required(f.json({ doc: 'Names of the document types that are generated and attached.' })),
    Problems: required(
      f.json({
        doc: 'What is wrong, each with Field, Text, and IsError: whether it keeps the message from being generated.',
      }),
    ),
  },
  answerName: 'MessagePreview',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'UNKNOWN_PARAMETER', 'NO_PERMISSION'],
  source: '1-core §4',
});

export const run = handle(operation, (ctx, params, values) => {
  assertMergeValues(values);
  return ctx.inTransaction(async (own) =>
    item('MessagePreview', operation.returns, await previewMessage(own, params, values)),
  );
});
