import type { Context } from '../../../../kernel/door/context.ts';
import { isA } from '../../../../kernel/declare/registry.ts';
import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';
import { today } from '../../../../kernel/time/today.ts';
import { addressesOfContacts, membersOfCollection } from '../../../contacts/public/contact-addresses.ts';
import { isMailAddress } from '../../../../contracts/mail-validation.ts';
import { nameBeside } from './recipient-address.ts';
import type { FoundRecipients, MessageKind, Recipient, RecipientKind } from './recipient.ts';

/** Who is written to, and where that is configured. */
export interface RecipientUse {
  readonly kind: RecipientKind;
  readonly message: MessageKind;
  /** The parameter or column. */
  readonly source: string;
}

const NOBODY: FoundRecipients = { recipients: [], missing: [] };

/** Kinds of contact methods at which contacts get a message, preferred ones first. */
const CONTACT_METHODS: Readonly<Record<MessageKind, readonly string[]>> = {
  Email: ['Email'],
  Text: ['Mobile', 'Phone', 'Home Phone', 'Work Phone'],
  Note: [],
};

/** Returns contacts as recipients, as far as `db` shows them. Those without a valid address are missing. */
export async function contactRecipients(
  ctx: Context,
  db: Db,
  ids: readonly number[],
  { kind, message, source }: RecipientUse,
): Promise<FoundRecipients> {
  if (ids.length === 0) return NOBODY;
  const distinct = [...new Set(ids)];
  const found = await addressesOfContacts(db, distinct, { kinds: CONTACT_METHODS[message], day: today(ctx) });
  const recipients: Recipient[] = [];
  const missing = missingOf(source, 'contact', distinct, new Set(found.map(({ contactId }) => contactId)));
  for (const { contactId, name, address, language } of found) {
    const usable = usableAddress(address, message);
    if (usable === undefined) missing.push({ source, who: `contact ${contactId}` });
    else
      recipients.push({ kind, source, address: usable, name: nameBeside(name), contactId, personId: null, language });
  }
  return { recipients, missing };
}

/** Returns users as recipients: of a note by themselves, of a mail at their address. */
export async function personRecipients(
  db: Db,
  ids: readonly number[],
  { kind, message, source }: RecipientUse,
): Promise<FoundRecipients> {
  if (ids.length === 0) return NOBODY;
  const found = await db.query<{ id: number; name: string; full: string | null; email: string | null }>(
    `select p.personid as id, p.person as name, nullif(concat_ws(' ', p.firstname, p.lastname), '') as full, p.email
     from unnest($1::bigint[]) with ordinality as k (id, n) join person p on p.personid = k.id
     where p.status is distinct from 'Inactive'
     order by k.n`,
    [arrayLiteral([...new Set(ids)])],
  );
  const recipients: Recipient[] = [];
  const missing = missingOf(source, 'user', [...new Set(ids)], new Set(found.map(({ id }) => id)));
  for (const { id, name, full, email } of found) {
    const address = message === 'Note' ? name : usableAddress(email, message);
    if (address === undefined) missing.push({ source, who: `user ${name}` });
    else
      recipients.push({
        kind,
        source,
        address,
        name: nameBeside(full ?? name),
        contactId: null,
        personId: id,
        language: null,
      });
  }
  return { recipients, missing };
}

/** Returns the current members of a collection as recipients, each at their own address. */
export async function collectionRecipients(
  ctx: Context,
  db: Db,
  collectionId: number,
  use: RecipientUse,
): Promise<FoundRecipients> {
  const members = await membersOfCollection(db, collectionId, today(ctx));
  const source = members && ctx.registry.record(members.source);
  if (!members || !source) return { recipients: [], missing: [{ source: use.source, who: `group ${collectionId}` }] };
  if (isA(source, ctx.registry.recordType('Person'))) return personRecipients(db, members.ids, use);
  if (isA(source, ctx.registry.recordType('Contact'))) return contactRecipients(ctx, db, members.ids, use);
  return { recipients: [], missing: [{ source: use.source, who: `group ${collectionId} of ${source.name}` }] };
}

function missingOf(
  source: string,
  noun: string,
  ids: readonly number[],
  found: ReadonlySet<number>,
): { source: string; who: string }[] {
  return ids.filter((id) => !found.has(id)).map((id) => ({ source, who: `${noun} ${id}` }));
}

function usableAddress(address: string | null, message: MessageKind): string | undefined {
  const text = (address ?? '').trim();
  if (message === 'Email') return isMailAddress(text) ? text : undefined;
  const number = text.replace(/[\s().\/-]/g, '');
  return message === 'Text' && /^\+?\d{5,15}$/.test(number) ? number : undefined;
}
