import { textOfHtml } from '../../../../lib/html-sanitizer/sanitize-html.ts';
import { maskWrittenNumbers } from '../../../../kernel/security/mask.ts';
import { plainBody } from '../../../../lib/text-search/words.ts';

/** Characters of a body that are searched. */
const BODY_CHARACTERS_MAX = 100_000;
/** Characters of addresses, and of names of files, that are searched. */
const NAMES_CHARACTERS_MAX = 20_000;

/** What the text of a message consists of. */
export interface MessageParts {
  readonly id: number;
  readonly subject: string | null;
  readonly sender: string | null;
  readonly bodyText: string | null;
  readonly bodyHtml: string | null;
  readonly recipients: string | null;
  /** Blind copies that only staff see. */
  readonly hiddenRecipients: string | null;
  readonly files: string | null;
  /** Names of documents that only staff see. */
  readonly hiddenFiles: string | null;
}

/** The text by which a message is found. */
export interface MessageText {
  readonly subject: string;
  /** Addresses, names of files and body. */
  readonly others: string;
  /** Names of documents, and blind copies, that only staff see. */
  readonly hidden: string;
}

/** SQL: the names of the documents of `message m` that meet a condition on `attachment a`. */
const filesSql = (condition: string): string =>
  `(select string_agg(coalesce(a.filename, a.attachment), E'\\n' order by a.attachmentid) from attachment a
   where ${condition} and (a.object = 'Message' and a.objectid = m.messageid
     or a.attachmentid in (select l.linkedobjectid from objectlink l where l.primaryobject = 'Message'
       and l.primaryobjectid = m.messageid and l.linkedobject = 'Attachment')))`;

/** SQL: the firm of the message sees the document, or no firm sees the message. */
const IS_SHARED = '(m.reachorganizationid is null or a.reachorganizationid is not distinct from m.reachorganizationid)';

/** SQL: the recipients of `message m` that meet a condition on `messagerecipient l`. */
const recipientsSql = (condition: string): string =>
  `(select string_agg(concat_ws(' ', r.name, r.messagerecipient), E'\\n' order by r.messagerecipientid)
   from (select * from messagerecipient l where l.messageid = m.messageid and ${condition}
         order by l.messagerecipientid limit 1000) r)`;

/** SQL: the firm of the message sees the recipient, or no firm sees the message. */
const IS_SHOWN = '(m.reachorganizationid is null or l.reachorganizationid is not distinct from m.reachorganizationid)';

/**
 * SQL of {@link MessageParts} of `message m`. Its firm must not find it by documents and blind copies that it does not
 * see.
 */
export const PARTS_SQL = `m.messageid as id, m.message as subject, concat_ws(' ', m.fromname, m.fromaddress) as sender,
  left(m.bodytext, ${BODY_CHARACTERS_MAX}) as "bodyText",
  case when coalesce(m.bodytext, '') = '' then left(m.bodyhtml, ${BODY_CHARACTERS_MAX * 4}) end as "bodyHtml",
  ${recipientsSql(IS_SHOWN)} as recipients, ${recipientsSql(`not ${IS_SHOWN}`)} as "hiddenRecipients",
  ${filesSql(IS_SHARED)} as files, ${filesSql(`not ${IS_SHARED}`)} as "hiddenFiles"`;

/** Returns the text by which a message is found. Social Security numbers are masked. */
export function messageText(parts: MessageParts): MessageText {
  const { subject, sender, bodyText, bodyHtml, recipients, files } = parts;
  const body = (bodyText ?? '').trim() === '' ? textOfHtml(bodyHtml ?? '') : (bodyText ?? '');
  const others = [
    sender,
    recipients?.slice(0, NAMES_CHARACTERS_MAX),
    files?.slice(0, NAMES_CHARACTERS_MAX),
    body.slice(0, BODY_CHARACTERS_MAX),
  ];
  return {
    subject: searched(subject ?? ''),
    others: searched(others.filter((text) => (text ?? '').trim() !== '').join('\n')),
    hidden: searched(
      [parts.hiddenRecipients, parts.hiddenFiles]
        .flatMap((text) => (text === null || text === '' ? [] : [text.slice(0, NAMES_CHARACTERS_MAX)]))
        .join('\n'),
    ),
  };
}

function searched(text: string): string {
  return maskWrittenNumbers(plainBody(text));
}
