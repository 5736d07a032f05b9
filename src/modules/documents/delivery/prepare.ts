import { MAIL_CLASSES } from '../../../contracts/delivery.ts';
import { list } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { insertMailing, mailingByKey } from './lib/batch-rows.ts';
import { generateLetters } from './lib/generate-letters.ts';
import { letterRows, plannedRow, storedRows } from './lib/letter-answer.ts';
import { plannedLetters } from './lib/planned-letters.ts';
import { assertCanPrepare, LETTERS_MAX, mailable, mailingName, readMailing } from './lib/prepare-request.ts';
import { RECIPIENTS } from './lib/recipients.ts';

export const operation = defineOperation({
  module: 'delivery',
  name: 'Prepare',
  method: 'POST',
  summary:
    'Prepares a mailing of documents, or of a document type for cases: checks the addresses, counts pages, estimates ' +
    'the cost, and returns each letter. Nothing leaves the platform before delivery/submit.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: ['AttachmentID', 'ContactID', { object: 'Object', id: 'ObjectID' }],
  params: {
    AttachmentID: f.idList({ doc: 'The documents to mail: PDF files.', to: 'Attachment', max: LETTERS_MAX }),
    Template: f.text({ doc: 'A document type, by name, to generate for each record of ObjectID.', max: 100 }),
    TemplateID: f.id({ doc: 'The document type.', to: 'AttachmentTemplate' }),
    Object: f.text({ doc: 'The record type of ObjectID.', max: 60 }),
    ObjectID: f.idList({ doc: 'The cases that get a letter of the document type.', max: LETTERS_MAX }),
    Recipient: f.choice(RECIPIENTS, {
      doc: "Who gets a letter about a case: its loan's primary borrower, or every borrower.",
      default: 'Primary borrower',
    }),
    ContactID: f.id({ doc: 'A contact who gets all of the letters instead.', to: 'Contact' }),
    MailHouse: f.text({ doc: 'The mail house, by name; by default the first one.', max: 100 }),
    MailClass: f.choice(MAIL_CLASSES, { doc: 'How the letters are mailed.', default: 'First class' }),
    Name: f.text({ doc: 'A name for the mailing; by default the document.', max: 255 }),
    SkipIncomplete: f.boolean({
      doc: 'Leaves out letters that cannot be mailed instead of refusing the mailing.',
      default: false,
    }),
    AllowReturned: f.boolean({ doc: 'Also mails to addresses from which a letter was returned.', default: false }),
    Preview: f.boolean({
      doc: 'Returns the letters with their problems and stores nothing.',
      default: false,
    }),
    Key: f.text({
      doc: 'An idempotency key: a repeated call continues the first one and returns its letters.',
      max: 100,
      exact: true,
    }),
  },
  transactions: 'own',
  returns: 'list',
  answerName: 'Letter',
  rows: letterRows,
  errors: [
    'NOT_FOUND',
    'BAD_PARAMETER',
    'MISSING_PARAMETER',
    'NO_PERMISSION',
    'STATE_REFUSES',
    'UNKNOWN_PROVIDER',
    'UNAVAILABLE',
  ],
  source: '1-core §2, IDelivery',
});

export const run = handle(operation, async (ctx, params) => {
  assertCanPrepare(ctx);
  const key = params.Key ?? ctx.messageId ?? null;
  const known = await mailingByKey(ctx, key);
  if (known !== undefined) {
    await generateLetters(ctx, known);
    return list('Letter', letterRows, await storedRows(ctx.db, known));
  }
  const { source, request } = await readMailing(ctx, params);
  const letters = await plannedLetters(ctx, source, request);
  if (params.Preview) return list('Letter', letterRows, letters.map(plannedRow));
  const good = mailable(ctx, letters, params.SkipIncomplete);
  const mailing = {
    name: params.Name ?? mailingName(letters),
    mailHouse: request.mailHouse,
    mailClass: request.mailClass,
    key,
    templateId: 'template' in source ? source.template.id : undefined,
  };
  const batchId = await ctx.inTransaction(
    async (own) => (await insertMailing(own, mailing, good)) ?? (await mailingByKey(own, key)),
  );
  if (batchId === undefined) throw new Error('a mailing without a key was not stored');
  await generateLetters(ctx, batchId);
  return list('Letter', letterRows, await storedRows(ctx.db, batchId));
});
