import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { insertMany } from '../../../../kernel/records/save/insert-many.ts';
import { categoryOf, type Recipient, type RecipientKind } from './recipient.ts';

/** A recipient of a stored message. */
export interface StoredRecipient {
  readonly id: number;
  readonly category: 0 | 1 | 2 | 3;
  readonly address: string;
  readonly name: string | null;
  readonly personId: number | null;
  readonly status: string | null;
}

/** Returns the recipients of a message, oldest first. */
export function storedRecipients(ctx: Context, messageId: number): Promise<readonly StoredRecipient[]> {
  return ctx.db.query<StoredRecipient>(
    `select messagerecipientid as id, coalesce(category, 0) as category, coalesce(messagerecipient, '') as address,
       name, personid as "personId", status
     from messagerecipient where messageid = $1::bigint order by messagerecipientid`,
    [messageId],
  );
}

/**
 * Stores recipients of a message, all in one statement, and returns them. One whose address the message has already is
 * that recipient, who becomes active again.
 */
export async function addRecipients(
  ctx: Context,
  messageId: number,
  recipients: readonly Recipient[],
): Promise<readonly StoredRecipient[]> {
  const known = new Map(
    (await storedRecipients(ctx, messageId)).map((each) => [keyOf(each.category, each.address), each]),
  );
  const isNew = ({ kind, address }: Recipient): boolean => !known.has(keyOf(categoryOf(kind), address));
  const rows = await insertMany(
    ctx,
    ctx.registry.recordType('MessageRecipient'),
    recipients.filter(isNew).map(({ kind, address, name, contactId, personId }) => ({
      MessageID: messageId,
      MessageRecipient: address,
      Category: categoryOf(kind),
      Name: name,
      ContactID: contactId,
      PersonID: personId,
    })),
  );
  const added = rows.map((row): StoredRecipient => ({
    id: row.MessageRecipientID,
    category: (row.Category ?? 0) as StoredRecipient['category'],
    address: row.MessageRecipient ?? '',
    name: row.Name,
    personId: row.PersonID,
    status: row.Status,
  }));
  return [...recipients.flatMap((each) => known.get(keyOf(categoryOf(each.kind), each.address)) ?? []), ...added];
}

/** Removes the recipients of some kinds from a message that was not sent. */
export async function removeRecipients(
  ctx: Context,
  messageId: number,
  kinds: readonly RecipientKind[],
): Promise<void> {
  if (kinds.length === 0) return;
  await ctx.db.query(
    'delete from messagerecipient where messageid = $1::bigint and coalesce(category, 0) = any($2::integer[])',
    [messageId, arrayLiteral(kinds.map(categoryOf))],
  );
}

/** Recipients of one address are one, except that replies are apart. */
function keyOf(category: number, address: string): string {
  return `${category === 3 ? 'reply ' : ''}${address.toLowerCase()}`;
}
