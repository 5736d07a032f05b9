import { textOfHtml } from '../../../../lib/html-sanitizer/sanitize-html.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import type { MailEvent } from '../../../../lib/mail/parsed-mail.ts';
import type { message } from '../../message/message.record.ts';
import { senderProofOf } from '../filing/sender-proof.ts';
import type { Mailbox } from './mailboxes.ts';
import type { MailContent, TakenMail } from './taken-mail.ts';

/** Longest stored subject, address and name. */
const SUBJECT_CHARACTERS_MAX = 1_000;
const ADDRESS_CHARACTERS_MAX = 255;
const RECIPIENT_CHARACTERS_MAX = 320;
/** Most recipients that are stored of one mail. */
const RECIPIENTS_MAX = 2_000;

/** Returns the columns of the message that a mail becomes; it is not filed yet. */
export function messageValues(mailbox: Mailbox, { head }: TakenMail, { mail }: MailContent): Values<typeof message> {
  // Lists and replies show the text, also of a mail that has only HTML.
  const written = (mail.text ?? '').trim() === '' ? textOfHtml(mail.html ?? '') : (mail.text ?? '');
  const text = [written, ...mail.calendar.map(eventText)].filter((part) => part !== '').join('\n\n');
  const { proof, dkim, spf, dmarc, detail } = senderProofOf(mailbox, mail);
  const isEmpty = mail.subject.trim() === '' && text.trim() === '' && (mail.html ?? '').trim() === '';
  return {
    Message: isEmpty ? '(no subject)' : mail.subject.slice(0, SUBJECT_CHARACTERS_MAX),
    BodyText: text === '' ? null : text,
    BodyHTML: mail.html,
    FromAddress: mail.from?.address.slice(0, ADDRESS_CHARACTERS_MAX) ?? null,
    FromName: mail.from?.name?.slice(0, ADDRESS_CHARACTERS_MAX) ?? null,
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

/** Stores the recipients of a received message: To, Cc, Bcc and Reply-To, each address once in its category. */
export async function storeRecipients(own: Context, messageId: number, { mail }: MailContent): Promise<void> {
  const rows = [mail.to, mail.cc, mail.bcc, mail.replyTo].flatMap((addresses, category) =>
    [...new Map(addresses.map((each) => [each.address.toLowerCase(), each])).values()].map(({ address, name }) => ({
      address: address.slice(0, RECIPIENT_CHARACTERS_MAX),
      name: name?.slice(0, ADDRESS_CHARACTERS_MAX) ?? null,
      category,
    })),
  );
  if (rows.length === 0) return;
  await own.db.query(
    `insert into messagerecipient (messageid, messagerecipient, name, category, createddate, createdpersonid,
       updateddate, updatedpersonid)
     select $1::bigint, r.address, r.name, r.category, $3::timestamptz, $4::bigint, $3::timestamptz, $4::bigint
     from jsonb_to_recordset($2::text::jsonb) r (address text, name text, category integer)`,
    [messageId, JSON.stringify(rows.slice(0, RECIPIENTS_MAX)), own.clock.now(), own.user.personId],
  );
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
