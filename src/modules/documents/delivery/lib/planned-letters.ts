import { MAIL_HOUSE, type LetterQuote, type MailClass } from '../../../../contracts/delivery.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { countPages } from '../../../../lib/pdf/count-pages.ts';
import type { StoredDocument } from '../../attachment/attachment.record.ts';
import { recipientsOf, subjectKey, type Recipient, type RecipientRequest, type Subject } from './recipients.ts';

/** A letter before it is stored. */
export interface PlannedLetter {
  readonly subject: Subject;
  /** What is mailed, in words. */
  readonly label: string;
  /** Absent for a document that is still to be generated. */
  readonly document?: { readonly id: number; readonly hash: string };
  readonly recipient?: Recipient;
  readonly pages?: number;
  readonly quote?: LetterQuote;
  /** Why it cannot be mailed, as a sentence. */
  readonly problem?: string;
}

/** What is to be mailed. */
export type LetterSource =
  | { readonly documents: readonly StoredDocument[] }
  | { readonly template: { readonly id: number; readonly name: string }; readonly subjects: readonly Subject[] };

/** How and to whom it is mailed. */
export interface MailingRequest extends RecipientRequest {
  readonly mailHouse: string;
  readonly mailClass: MailClass;
}

/** Returns the letters of a mailing, one for each document and recipient, with what keeps them from being mailed. */
export async function plannedLetters(
  ctx: Context,
  source: LetterSource,
  request: MailingRequest,
): Promise<readonly PlannedLetter[]> {
  const sheets =
    'documents' in source
      ? await documentSheets(ctx, source.documents, request)
      : source.subjects.map((subject): PlannedLetter => ({ subject, label: source.template.name }));
  const subjects = [...new Map(sheets.map(({ subject }) => [subjectKey(subject), subject])).values()];
  const recipients = await recipientsOf(ctx, subjects, request);
  return sheets.flatMap((sheet) => {
    const found = recipients.get(subjectKey(sheet.subject)) ?? [];
    if (found.length === 0)
      return [{ ...sheet, problem: sheet.problem ?? `${sheet.label}: no recipient; name a contact.` }];
    return found.map((recipient): PlannedLetter => {
      const problem =
        sheet.problem ?? (recipient.problem === undefined ? undefined : `${recipient.label} ${recipient.problem}.`);
      return { ...sheet, recipient, ...(problem === undefined ? {} : { problem }) };
    });
  });
}

async function documentSheets(
  ctx: Context,
  documents: readonly StoredDocument[],
  request: MailingRequest,
): Promise<PlannedLetter[]> {
  const sheets: PlannedLetter[] = [];
  for (const row of documents) {
    const label = row.Attachment ?? row.FileName ?? `Document ${row.AttachmentID}`;
    const subject = { object: row.Object ?? '', id: row.ObjectID ?? 0 };
    sheets.push({ subject, label, ...(await printedDocument(ctx, row, label, request)) });
  }
  return sheets;
}

/** Returns a document with its pages, or why it cannot be printed. */
export async function printedDocument(
  ctx: Context,
  row: StoredDocument,
  label: string,
  { mailHouse, mailClass }: Pick<MailingRequest, 'mailHouse' | 'mailClass'>,
): Promise<Pick<PlannedLetter, 'document' | 'pages' | 'quote' | 'problem'>> {
  if (row.Sealed === true || row.FileHash === null)
    return { problem: `${label}: is stored encrypted because it may contain protected numbers.` };
  const document = { id: row.AttachmentID, hash: row.FileHash };
  const counted = await countPages(await ctx.documents.content(row));
  if ('problem' in counted) return { document, problem: `${label}: ${counted.problem}.` };
  const { pages } = counted;
  const quote = ctx.providers.get(MAIL_HOUSE, mailHouse).quote({ pages, mailClass });
  return { document, pages, quote };
}
