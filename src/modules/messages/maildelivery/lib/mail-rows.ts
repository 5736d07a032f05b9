import { createHash } from 'node:crypto';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { recipientsIn, sealContent, type MailContent } from './mail-content.ts';

/** A stored decision to send a mail, as the operation answers it. */
export interface PostedMail {
  readonly MailDeliveryID: number;
  readonly InternetMessageID: string;
  readonly Status: string;
}

/** A mail to store. */
export interface NewMail {
  readonly purpose: string;
  readonly provider: string | null;
  readonly object: string | null;
  readonly objectId: number | null;
  readonly messageId: string;
  /** Hash of the caller's key, or null. */
  readonly key: string | null;
  readonly content: MailContent;
}

/** Returns the SHA-256 of a caller's key, hexadecimal, or null without a key. */
export function hashKey(key: string | null | undefined): string | null {
  return key === null || key === undefined ? null : createHash('sha256').update(key).digest('hex');
}

/** Inserts a mail; undefined if its key is taken. Runs elevated: row security closes the table to the caller. */
export async function insertMail(ctx: Context, mail: NewMail): Promise<PostedMail | undefined> {
  const [row] = await ctx.transaction().elevated((db) =>
    db.query<PostedMail>(
      `with mail as (
         insert into mailcontent (content, createddate)
         select $7::text, $9::timestamptz
         where not exists (select from maildelivery where mailkey = $6::text)
         returning mailcontentid)
       insert into maildelivery (maildelivery, status, provider, object, objectid, internetmessageid, mailkey,
         mailcontentid, recipients, attempts, nextattempt, correlationid, createddate, createdpersonid, updateddate,
         updatedpersonid)
       select $1::text, 'Waiting', $2::text, $3::text, $4::bigint, $5::text, $6::text, mailcontentid,
         $8::text::jsonb, 0, $9::timestamptz, $10::text, $9::timestamptz, $11::bigint, $9::timestamptz, $11::bigint
       from mail
       on conflict (mailkey) do nothing
       returning maildeliveryid as "MailDeliveryID", internetmessageid as "InternetMessageID", status as "Status"`,
      [
        mail.purpose,
        mail.provider,
        mail.object,
        mail.objectId,
        mail.messageId,
        mail.key,
        sealContent(ctx.cipher, mail.content),
        JSON.stringify(recipientsIn(mail.content)),
        ctx.clock.now(),
        ctx.correlationId.slice(0, 64),
        ctx.user.personId,
      ],
    ),
  );
  return row;
}

/** Returns the mail that was stored under a key. Throws CONCURRENT_CHANGE if it is gone again. */
export async function findByKey(ctx: Context, key: string | null): Promise<PostedMail> {
  const [row] = await ctx.transaction().elevated((db) =>
    db.query<PostedMail>(
      `select maildeliveryid as "MailDeliveryID", internetmessageid as "InternetMessageID", status as "Status"
         from maildelivery
         where mailkey = $1::text`,
      [key],
    ),
  );
  if (!row) throw new PlatformError('CONCURRENT_CHANGE');
  return row;
}
