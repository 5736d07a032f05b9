import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';

/** Why addresses are blocked, as recipients of messages show it. */
const reasons: Readonly<Record<string, string>> = {
  Bounced: 'Blocked: an earlier mail was returned, because there is no such mailbox.',
  Complaint: 'Blocked: the recipient reported an earlier mail as spam.',
  Unsubscribed: 'Blocked: the recipient unsubscribed.',
  Person: 'Blocked by a person.',
};

/** Returns why mail to addresses is blocked, by address in lower case. Of a bulk mail, unsubscribing counts too. */
export async function blockedAddresses(
  db: Db,
  addresses: readonly string[],
  { isBulk }: { readonly isBulk: boolean },
): Promise<ReadonlyMap<string, string>> {
  if (addresses.length === 0) return new Map();
  const rows = await db.query<{ address: string; reason: string | null }>(
    `select mailsuppression as address, reason
     from mailsuppression
     where mailsuppression = any($1::text[]) and (scope is distinct from 'Bulk' or $2::boolean)`,
    [arrayLiteral(addresses.map((address) => address.toLowerCase())), isBulk],
  );
  return new Map(
    rows.map(({ address, reason }) => [address.toLowerCase(), reasons[reason ?? ''] ?? 'Blocked by a person.']),
  );
}

/** Returns why an address is blocked, from the reasons of its entries by scope; undefined if the mail may be sent. */
export function blockedReason(entries: Readonly<Record<string, string>> | null, isBulk: boolean): string | undefined {
  const reason = entries?.['All'] ?? (isBulk ? entries?.['Bulk'] : undefined);
  return reason === undefined ? undefined : (reasons[reason] ?? reasons['Person']);
}

/** An address to block, and why. */
export interface NewSuppression {
  readonly address: string;
  readonly reason: 'Bounced' | 'Complaint' | 'Unsubscribed';
  readonly scope: 'All' | 'Bulk';
  readonly messageId: number | null;
  readonly detail: string | null;
}

/** Blocks an address, unless it is; returns whether it was not. */
export async function blockAddress(
  own: Context,
  { address, reason, scope, messageId, detail }: NewSuppression,
): Promise<boolean> {
  const rows = await own.db.query(
    `insert into mailsuppression (mailsuppression, reason, scope, messageid, detail, createddate, createdpersonid,
       updateddate, updatedpersonid)
     values ($1::text, $2::text, $3::text, $4::bigint, $5::text, $6::timestamptz, $7::bigint, $6::timestamptz,
       $7::bigint)
     on conflict (mailsuppression, scope) do nothing
     returning 1`,
    [address.toLowerCase(), reason, scope, messageId, detail, own.clock.now(), own.user.personId],
  );
  return rows.length > 0;
}

const NO_MAILBOX = /\b5\.1\.(?:1|6|10)\b/;

/** Whether a status or a reply of a mail server says that there is no such mailbox. */
export function saysNoMailbox(text: string | null | undefined): boolean {
  return NO_MAILBOX.test(text ?? '');
}
