import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import { planOptions, planSave } from '../../../../kernel/records/save/plan.ts';
import { saveRecord } from '../../../../kernel/records/save/save-record.ts';
import { message } from '../../message/message.record.ts';
import { assertOfFirm, fileMessage, storeProposal } from '../filing/apply-filing.ts';
import { findMessage } from '../filing/answered-messages.ts';
import { detailText, type Filing, type MailToFile } from '../filing/filing.ts';
import { senderProofOf } from '../filing/sender-proof.ts';
import { filingBySubject } from '../filing/subject-evidence.ts';
import { plainSubject } from '../filing/subject-text.ts';
import { processorsOf, runProcessors, type ProcessorOutcome } from '../processors/mail-processors.ts';
import { fileDocuments, type DocumentTypeName } from './mail-files.ts';
import { messageValues, statementValues } from './mail-message.ts';
import type { ReceiptMail } from './store-mail.ts';
import type { MailContent } from './taken-mail.ts';

/** A message that is stored and not filed. */
interface UnfiledMessage {
  readonly id: number;
  /** What it answers, if that did not file it. */
  readonly reply: Filing | undefined;
}

/** Files a message by the rules of its mailbox, or by its subject. Returns why rules failed. */
export async function fileByRules(
  own: Context,
  received: ReceiptMail,
  content: MailContent,
  { id, reply }: UnfiledMessage,
): Promise<readonly string[]> {
  const { mailbox, taken } = received;
  const mail = { ...content.mail, attachments: [] };
  const outcome = await runProcessors(own, await processorsOf(own.db, mailbox.id), {
    mailbox,
    mail,
    messageId: id,
    threadId: (reply?.isCertain === true ? reply.evidence.answers?.threadId : undefined) ?? id,
    values: statementValues(mailbox, id, content, messageValues(mailbox, taken, content)),
    unanswerable: unanswerable(received, content),
  });
  try {
    await own.savepoint(() => applyOutcome(own, received, content, { id, outcome }));
    return outcome.problems;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code === 'CONCURRENT_CHANGE') throw error;
    const rule = outcome.row ? `Rule "${outcome.row.rule}"` : 'Filing it';
    return [...outcome.problems, `${rule} failed: ${error.message}`];
  }
}

/** Why a mail is never answered automatically. */
function unanswerable({ isSilent, mailbox }: ReceiptMail, { mail }: MailContent): string | undefined {
  if (isSilent) return 'The email is older than the mailbox.';
  // The answer would reach somebody who has not written.
  if (senderProofOf(mailbox, mail).proof === 'Failed')
    return "The sender's address is not genuine, so the mail is not answered automatically.";
  return mail.autoSubmitted || mail.returnPath === ''
    ? 'A program wrote the mail, so it is not answered automatically.'
    : undefined;
}

async function applyOutcome(
  own: Context,
  received: ReceiptMail,
  content: MailContent,
  { id, outcome }: { readonly id: number; readonly outcome: ProcessorOutcome },
): Promise<void> {
  const { row, filing, ranBy } = outcome;
  if (row) return saveRow(own, received, content, { id, row });
  if (filing) await applyFiling(own, { id, subject: content.mail.subject }, filing);
  if (filing?.isCertain === true) return;
  if (ranBy !== undefined) await noteRule(own, id, ranBy);
}

/** Files a message as some evidence says, or proposes it. */
async function applyFiling(
  own: Context,
  message: { readonly id: number; readonly subject: string },
  filing: Filing,
): Promise<void> {
  if (filing.isCertain) await fileMessage(own, message, filing.evidence);
  else await storeProposal(own, message.id, filing);
}

/** Files a message by its subject, of a mailbox without rules that call statements. Returns why that failed. */
export async function fileBySubject(own: Context, file: MailToFile, id: number): Promise<readonly string[]> {
  const filing = await filingBySubject(own, file);
  if (!filing) return [];
  try {
    await own.savepoint(() => applyFiling(own, { id, subject: file.mail.subject }, filing));
    return [];
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code === 'CONCURRENT_CHANGE') throw error;
    return [`Filing it failed: ${error.message}`];
  }
}

/** Records which rule ran for a message that the rule may have filed. */
async function noteRule(own: Context, id: number, rule: string): Promise<void> {
  await own.db.query(
    `update message
     set status = case when object is null then status else 'Received' end, filedby = 'Processor',
       fileddetail = $2::text
     where messageid = $1::bigint`,
    [id, detailText(`Rule "${rule}" of the mailbox ran.`)],
  );
}

/** Saves a message with the values of a statement's first row. */
async function saveRow(
  own: Context,
  { mailbox, taken }: ReceiptMail,
  content: MailContent,
  { id, row }: { readonly id: number; readonly row: NonNullable<ProcessorOutcome['row']> },
): Promise<void> {
  const plan = planSave(own.registry, message, savedValues(row.values), planOptions(own));
  const parentId = plan.values.ParentMessageID;
  if (typeof parentId === 'number') {
    const parent = await findMessage(own.db, parentId, mailbox.organizationId);
    if (!parent)
      throw new PlatformError('NOT_FOUND', {
        field: 'ParentMessageID',
        message: `ParentMessageID: message ${parentId} not found, or of another firm.`,
      });
    plan.values.ThreadID = parent.threadId;
    plan.values.SubjectChanged = plainSubject(parent.subject) !== plainSubject(content.mail.subject);
  }
  const { Object: object, ObjectID: objectId } = plan.values;
  const record = typeof object === 'string' && typeof objectId === 'number' ? { object, objectId } : undefined;
  if (record) {
    await assertOfFirm(own.db, record, mailbox.organizationId);
    plan.values.Status ??= 'Received';
    plan.values.FiledBy = 'Processor';
    plan.values.FiledDetail = detailText(`Rule "${row.rule}" of the mailbox.`);
  }
  await own.actingAs('Workflow', (workflow) => saveRecord(workflow, { ...plan, id }, 'update'));
  const type = documentType(row.values);
  if (record && type) await fileDocuments(own, { messageId: id, record, type }, taken);
}

/** Returns the values of a row that are fields of a message which configuration may set. */
function savedValues(values: ReadonlyMap<string, RawValue>): Parameters {
  const { valueColumns, template } = message;
  const fields = [...valueColumns.values()].filter(({ field }) => field.computed !== true).map(({ name }) => name);
  const names = [...fields, 'Object', 'ObjectID', 'Subject', `${template}ID`, template ?? ''];
  const sent: Record<string, RawValue> = {};
  for (const name of new Set(names)) {
    const value = values.get(name.toLowerCase());
    if (value !== undefined && value !== null) sent[name] = value;
  }
  return sent;
}

/** Returns the document type that a row names for the files of the mail. */
function documentType(values: ReadonlyMap<string, RawValue>): DocumentTypeName | undefined {
  const id = Number(values.get('attachmenttemplateid') ?? 0);
  if (Number.isSafeInteger(id) && id > 0) return { AttachmentTemplateID: id };
  const name = values.get('attachmenttemplate');
  return typeof name === 'string' && name !== '' ? { AttachmentTemplate: name } : undefined;
}
