import { randomUUID } from 'node:crypto';
import type { Context } from '../../../../kernel/door/context.ts';
import type { MailingRequest, PlannedLetter } from './planned-letters.ts';
import { publishNewMailing } from './publish-letters.ts';

/** A mailing to store. */
export interface NewMailing extends Pick<MailingRequest, 'mailHouse' | 'mailClass'> {
  readonly name: string;
  readonly key: string | null;
  /** The type of documents that are still to be generated. */
  readonly templateId?: number | undefined;
}

/** Returns the mailing that was prepared under a key. */
export async function mailingByKey(own: Context, key: string | null): Promise<number | undefined> {
  if (key === null) return undefined;
  const [row] = await own.db.query<{ id: number }>(
    'select deliverybatchid as id from deliverybatch where batchkey = $1::text',
    [key],
  );
  return row?.id;
}

/** Stores a mailing with its letters, in the call's transaction; undefined if its key is taken. */
export async function insertMailing(
  own: Context,
  mailing: NewMailing,
  letters: readonly PlannedLetter[],
): Promise<number | undefined> {
  const { name, mailHouse, mailClass, key, templateId } = mailing;
  const [batch] = await own.db.query<{ id: number }>(
    `insert into deliverybatch (deliverybatch, status, mailhouse, mailclass, batchkey, attempts, createddate,
       createdpersonid, updateddate, updatedpersonid)
     values ($1::text, $2::text, $3::text, $4::text, $5::text, 0, $6::timestamptz, $7::bigint, $6::timestamptz,
       $7::bigint)
     on conflict (batchkey) do nothing
     returning deliverybatchid as id`,
    [
      name,
      templateId === undefined ? 'Prepared' : 'Preparing',
      mailHouse,
      mailClass,
      key,
      own.clock.now(),
      own.user.personId,
    ],
  );
  if (!batch) return undefined;
  const rows = await own.db.query<{ id: number }>(
    `insert into delivery (delivery, status, deliverybatchid, object, objectid, attachmentid, attachmenttemplateid,
       filehash, contactid, recipientname, street, city, state, postalcode, mailhouse, mailclass, pages, sheets, cost,
       letterkey, prepareddate, createddate, createdpersonid, updateddate, updatedpersonid)
     select l.label, case when l.attachmentid is null then 'Preparing' else 'Prepared' end, $2::bigint, l.object,
       l.objectid, l.attachmentid, $3::bigint, l.hash, l.contactid, l.name, l.street, l.city, l.state, l.postalcode,
       $4::text, $5::text, l.pages, l.sheets, l.cost, l.letterkey,
       case when l.attachmentid is not null then $6::timestamptz end, $6::timestamptz, $7::bigint, $6::timestamptz,
       $7::bigint
     from jsonb_to_recordset($1::text::jsonb) as l (label text, object text, objectid bigint, attachmentid bigint,
       hash text, contactid bigint, name text, street text, city text, state text, postalcode text, pages integer,
       sheets integer, cost numeric, letterkey text)
     returning deliveryid as id`,
    [
      JSON.stringify(letters.map(letterRow)),
      batch.id,
      templateId ?? null,
      mailHouse,
      mailClass,
      own.clock.now(),
      own.user.personId,
    ],
  );
  await publishNewMailing(
    own,
    batch.id,
    rows.map(({ id }) => id),
  );
  return batch.id;
}

function letterRow({ label, subject, document, recipient, pages, quote }: PlannedLetter): object {
  return {
    label: label.slice(0, 255),
    object: subject.object,
    objectid: subject.id,
    attachmentid: document?.id,
    hash: document?.hash,
    contactid: recipient?.contactId,
    name: recipient?.name.slice(0, 255),
    street: recipient?.address?.street,
    city: recipient?.address?.city,
    state: recipient?.address?.state,
    postalcode: recipient?.address?.postalCode,
    pages,
    sheets: quote?.sheets,
    cost: dollars(quote?.costCents),
    letterkey: randomUUID(),
  };
}

/** Returns cents as an amount of money; null if there are none. */
export function dollars(cents: number | undefined): string | null {
  return cents === undefined ? null : (cents / 100).toFixed(2);
}
