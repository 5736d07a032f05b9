import { textOfHtml } from '../../../../lib/html-sanitizer/sanitize-html.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import type { MailEvent } from '../../../../lib/mail/parsed-mail.ts';
import type { message } from '../../message/message.record.ts';
import { senderProofOf } from '../filing/sender-proof.ts';
import { cutText } from './cut-text.ts';
import type { Mailbox } from './mailboxes.ts';
import type { MailContent, TakenMail } from './taken-mail.ts';

/** Longest stored subject, address and name. */
const SUBJECT_CHARACTERS_MAX = 1_000;
const ADDRESS_CHARACTERS_MAX = 255;
const RECIPIENT_CHARACTERS_MAX = 320;
/** Most recipients that are stored of one mail. */
const RECIPIENTS_MAX = 2_000;

/** Returns the columns of the message that a mail becomes; it is not filed yet. */
export function messageValues(
  mailbox: Mailbox,
  { head }: Pick<TakenMail, 'head'>,
  { mail }: MailContent,
): Values<typeof message> {
  // Lists and replies show the text, also of a mail that has only HTML.
  const written = (mail.text ?? '').trim() === '' ? textOfHtml(mail.html ?? '') : (mail.text ?? '');
  const text = [written, ...mail.calendar.map(eventText)].filter((part) => part !== '').join('\n\n');
  const { proof, dkim, spf, dmarc, detail } = senderProofOf(mailbox, mail);
  const isEmpty = mail.subject.trim() === '' && text.trim() === '' && (mail.html ?? '').trim() === '';
  return {
    Message: isEmpty ? '(no subject)' : cutText(mail.subject, SUBJECT_CHARACTERS_MAX),
    BodyText: text === '' ? null : text,
    BodyHTML: mail.html,
    FromAddress: mail.from ? cutText(mail.from.address, ADDRESS_CHARACTERS_MAX) : null,
    FromName: cutName(mail.from?.name),
    MessageType: 'Email',
    Status: 'Unfiled',
    InternetMessageID: mail.messageId,
    MailInboundID: mailbox.id,
    ReceivedDate: head.receivedDate,
    SentDate: mail.date,
    AutoSubmitted: mail.autoSubmitted,
    SubjectChanged: false,
    SenderProof: proof,
    SenderDetail: detail,
    DKIM: dkim,
    SPF: spf,
    DMARC: dmarc,
  };
}

function cutName(name: string | null | undefined): string | null {
  return name === null || name === undefined ? null : cutText(name, ADDRESS_CHARACTERS_MAX);
}

/** What methods of invitations mean; others invite. */
const eventKinds: ReadonlyMap<string, string> = new Map([
  ['CANCEL', 'Canceled'],
  ['REPLY', 'Answer to an invitation'],
]);

/** Returns the lines that say what an invitation is about. */
function eventText({ method, summary, start, end, timeZone, place, organizer }: MailEvent): string {
  const zone = timeZone === null ? '' : ` (${timeZone})`;
  const lines: (string | undefined)[] = [
    `${eventKinds.get(method ?? '') ?? 'Invitation'}: ${summary ?? ''}`,
    start === null ? undefined : `When: ${start}${end === null ? '' : ` to ${end}`}${zone}`,
    place === null ? undefined : `Where: ${place}`,
    organizer === null ? undefined : `Organizer: ${organizer.name ?? ''} ${organizer.address}`.replace(/ {2,}/g, ' '),
  ];
  return lines.filter((line) => line !== undefined).join('\n');
}

/** Stores the recipients of received messages: To, Cc, Bcc and Reply-To, each address once in its category. */
export async function storeRecipients(
  own: Context,
  messages: readonly { readonly messageId: number; readonly mail: MailContent['mail'] }[],
): Promise<void> {
  const rows = messages.flatMap(({ messageId, mail }) => recipientsOf(mail).map((row) => ({ messageId, ...row })));
  if (rows.length === 0) return;
  await own.db.query(
    `insert into messagerecipient (messageid, messagerecipient, name, category, createddate, createdpersonid,
       updateddate, updatedpersonid)
     select r."messageId", r.address, r.name, r.category, $2::timestamptz, $3::bigint, $2::timestamptz, $3::bigint
     from jsonb_to_recordset($1::text::jsonb) r ("messageId" bigint, address text, name text, category integer)`,
    [JSON.stringify(rows), own.clock.now(), own.user.personId],
  );
}

function recipientsOf({ to, cc, bcc, replyTo }: MailContent['mail']) {
  return [to, cc, bcc, replyTo]
    .flatMap((addresses, category) =>
      [...new Map(addresses.map((each) => [each.address.toLowerCase(), each])).values()].map(({ address, name }) => ({
        address: cutText(address, RECIPIENT_CHARACTERS_MAX),
        name: cutName(name),
        category,
      })),
    )
    .slice(0, RECIPIENTS_MAX);
}

/** Returns the values of a mail that the statements of rules can name. */
export function statementValues(
  mailbox: Mailbox,
  messageId: number,
  { mail, files }: MailContent,
  values: Values<typeof message>,
): ReadonlyMap<string, RawValue> {
  const addresses = (list: readonly { readonly address: string }[]): string => list.map((to) => to.address).join(', ');
  const named: Record<string, RawValue> = {
    ...(values as Record<string, RawValue>),
    ID: messageId,
    MessageID: messageId,
    Subject: mail.subject,
    Message: mail.subject,
    Account: mailbox.name,
    MailInbound: mailbox.name,
    OrganizationID: mailbox.organizationId,
    ToAddress: addresses(mail.to),
    CcAddress: addresses(mail.cc),
    ReplyToAddress: addresses(mail.replyTo),
    ListID: mail.listId,
    Files: files.length,
  };
  return new Map(Object.entries(named).map(([name, value]) => [name.toLowerCase(), value ?? null]));
}
