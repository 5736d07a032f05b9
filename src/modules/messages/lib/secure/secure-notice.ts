/** The notice that is mailed instead of a secure message. */
import { createHash, randomBytes } from 'node:crypto';
import { publicAddress, timeZone } from '../../../../kernel/declare/core-settings.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { html } from '../../../../kernel/render/markup.ts';
import { secureLinkDays } from '../../securelink/settings.ts';

/** Bytes of a token: 256 bits, infeasible to guess. */
const TOKEN_BYTES = 32;

/** The message of which a notice is sent. */
export interface NoticedMessage {
  readonly MessageID: number;
  readonly FromName?: string | null;
}

/** A recipient who gets a notice. */
export interface NoticedRecipient {
  readonly MessageRecipientID: number;
  /** The address. */
  readonly MessageRecipient: string | null;
}

/** A mail that says nothing of the message but who sent it. */
export interface SecureNotice {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/**
 * Stores a link for each recipient, by which that one reads a message and the documents that it has now, with their
 * present contents, all in one statement. Returns the notices with the links by MessageRecipientID. Needs a
 * transaction.
 */
export async function secureNotices(
  ctx: Context,
  message: NoticedMessage,
  recipients: readonly NoticedRecipient[],
): Promise<ReadonlyMap<number, SecureNotice>> {
  const now = ctx.clock.milliseconds();
  const expiry = new Date(now + ctx.settings.get(secureLinkDays) * 86_400_000).toISOString();
  const links = recipients.map(({ MessageRecipientID: id, MessageRecipient: address }) => {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    return { id, address: address ?? '', token, hash: hashOfToken(token) };
  });
  // Row security closes the table to firms' users, who may send such messages nevertheless.
  await ctx.transaction().elevated((db) =>
    db.query(
      `with added as (
         insert into securelink (securelink, messageid, messagerecipientid, tokenhash, expirydate, createddate,
           createdpersonid, updateddate, updatedpersonid)
         select l.address, $1::bigint, l.id, l.hash, $5::timestamptz, $6::timestamptz, $7::bigint, $6::timestamptz,
           $7::bigint
         from unnest($2::bigint[], $3::text[], $4::text[]) l (id, address, hash)
         returning securelinkid)
       insert into securelinkfile (securelinkid, attachmentid, fileversion)
       select securelinkid, f.id, f.version from added cross join (
         select attachmentid as id, fileversion as version from attachment
         where object = 'Message' and objectid = $1::bigint
         union
         select a.attachmentid, a.fileversion from objectlink o join attachment a on a.attachmentid = o.linkedobjectid
         where o.primaryobject = 'Message' and o.primaryobjectid = $1::bigint and o.linkedobject = 'Attachment') f`,
      [
        message.MessageID,
        arrayLiteral(links.map(({ id }) => id)),
        arrayLiteral(links.map(({ address }) => address)),
        arrayLiteral(links.map(({ hash }) => hash)),
        expiry,
        new Date(now).toISOString(),
        ctx.user.personId,
      ],
    ),
  );
  const sender = plainName(message.FromName ?? '');
  const until = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: ctx.settings.get(timeZone) }).format(
    new Date(expiry),
  );
  const base = ctx.settings.get(publicAddress).replace(/\/+$/, '');
  return new Map(links.map(({ id, token }) => [id, noticeOf({ sender, until, link: `${base}/secure/${token}` })]));
}

/** Returns the stored hash of a link's token. The token is random, so a fast hash is enough. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(`secure link ${token}`).digest('hex');
}

/** A name of one line, which cannot add headers to the mail. */
function plainName(name: string): string {
  return name
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, 100);
}

function noticeOf({
  sender,
  until,
  link,
}: {
  readonly sender: string;
  readonly until: string;
  readonly link: string;
}): SecureNotice {
  const subject = sender === '' ? 'You have a secure message' : `${sender} sent you a secure message`;
  const what = sender === '' ? 'You have a secure message.' : `${sender} sent you a secure message.`;
  const how =
    'To open it, sign in, or request a one-time code, which is sent to this address. ' +
    `The link works until ${until}, and only for you: do not forward it.`;
  const why = 'If you did not expect this message, ignore this email.';
  return {
    subject,
    text: `${what}\n\n${link}\n\n${how}\n\n${why}\n`,
    html: html`<div style="font:15px/1.5 system-ui,-apple-system,Segoe UI,sans-serif;color:#1c1c21;max-width:520px">
<p>${what}</p>
<p><a href="${link}" style="display:inline-block;padding:10px 18px;background:#1d5fd1;color:#fff;border-radius:6px;
text-decoration:none">Read the message</a></p>
<p style="color:#55555f">${how}</p>
<p style="color:#55555f">${why}</p>
</div>`.markup,
  };
}
