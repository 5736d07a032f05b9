import { textOfHtml } from '../../../lib/html-sanitizer/sanitize-html.ts';
import type { PageCall } from '../page-call.ts';
import { writtenAddress, type MailDraft } from './compose-data.ts';

/** A recipient as `message/preview` returns it. */
export interface PreviewRecipient {
  readonly Kind: 'To' | 'Cc' | 'Bcc' | 'ReplyTo';
  readonly Address: string | null;
  readonly Name: string | null;
  /** The parameter or the column of the template that it comes from. */
  readonly Source: string;
}

/** What is wrong with a template, or with the data of the record. */
export interface PreviewProblem {
  readonly Field: string | null;
  readonly Text: string;
  readonly IsError: boolean;
}

/** Fills a draft in from its template: subject, text and recipients, with the values of the record merged. */
export async function applyTemplate(call: PageCall, draft: MailDraft): Promise<MailDraft> {
  if (draft.template === '' || !call.may('message/preview')) return draft;
  const { answer } = await call.call('message/preview', {
    Template: draft.template,
    ...(draft.objectId !== '' && { Object: draft.object, ObjectID: Number(draft.objectId) }),
  });
  const { Subject, BodyText, BodyHTML, Recipients, SecureDelivery } = answer.row;
  const recipients = Recipients as readonly PreviewRecipient[];
  const of = (kind: PreviewRecipient['Kind'], known: string): string => {
    const found = recipients.flatMap(({ Kind, Name, Address }) =>
      Kind === kind && (Address ?? '') !== '' ? [writtenAddress({ name: Name ?? '', address: Address ?? '' })] : [],
    );
    return found.length === 0 ? known : found.join(', ');
  };
  const text = (BodyText ?? '').trim() === '' ? textOfHtml(BodyHTML ?? '') : (BodyText ?? '');
  return {
    ...draft,
    to: of('To', draft.to),
    cc: of('Cc', draft.cc),
    bcc: of('Bcc', draft.bcc),
    subject: Subject ?? draft.subject,
    body: text,
    merged: text,
    isSecure: SecureDelivery === true,
  };
}
