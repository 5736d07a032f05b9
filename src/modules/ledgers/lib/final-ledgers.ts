/** Ledgers that are part of the books, which prevent the deletion of the record that they belong to. */
import type { RecordType } from '../../../kernel/declare/record.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { lockLedgers } from './stored-lines.ts';

/** Most ledgers that an error names. */
const NAMED_MAX = 5;

interface OwnLedger {
  readonly id: number;
  readonly label: string | null;
  /** Why it is final; null for a draft. */
  readonly state: string | null;
}

/** SQL of the ledgers of records `$2` of type `$1`, and of those below these. */
const ownLedgers = `
  with recursive own (ledgerid) as (
    select ledgerid from ledger where object = $1::text and objectid = any($2::bigint[])
    union
    select l.ledgerid from own join ledger l on l.object = 'Ledger' and l.objectid = own.ledgerid
  )
  select l.ledgerid as id, l.ledger as label, case
    when lower(l.status) in ('approved', 'posted') then 'is ' || l.status
    when l.posteddate is not null then 'is posted'
    when l.completed is not null then 'is approved'
    when lines.payment then 'has payments'
    when lines.paid then 'has paid lines'
    when lines.approved then 'has approved time entries'
    when l.islocked then 'is locked'
    when lines.locked then 'has locked lines' end as state
  from own join ledger l on l.ledgerid = own.ledgerid
    cross join lateral (
      select bool_or(i.paymentrole is not null) as payment, bool_or(i.paiddate is not null) as paid,
        bool_or(i.personid is not null and i.reviewdate is not null and lower(i.status) = 'approved') as approved,
        bool_or(i.islocked) as locked
      from ledgeritem i where i.ledgerid = l.ledgerid
    ) lines
  order by l.ledgerid`;

/**
 * Throws STATE_REFUSES if records of one type have ledgers, of any firm, that are approved, posted, locked or paid.
 * Names only those that the caller can see. Draft ledgers stay where they are, as all children of deleted records do.
 */
export async function assertNoFinalLedgers(ctx: Context, record: RecordType, ids: readonly number[]): Promise<void> {
  const params = [record.name, arrayLiteral(ids)];
  const read = (): Promise<readonly OwnLedger[]> =>
    ctx.transaction().elevated((db) => db.query<OwnLedger>(ownLedgers, params));
  const own = await read();
  if (own.length === 0) return;
  // What approves, posts or pays a ledger locks it: after this, the states stay.
  await ctx.transaction().elevated(() =>
    lockLedgers(
      ctx,
      own.map(({ id }) => id),
    ),
  );
  const all = (await read()).filter(({ state }) => state !== null);
  if (all.length === 0) return;
  const visible = await ctx.db.query<OwnLedger>(ownLedgers, params);
  const listed = visible
    .filter(({ state }) => state !== null)
    .slice(0, NAMED_MAX)
    .map(({ id, label, state }) => `ledger ${id}${label === null ? '' : ` "${label}"`} ${String(state)}`);
  const more = all.length - listed.length;
  if (more > 0) listed.push(listed.length > 0 ? `and ${more} more` : `${more} that you can't see`);
  throw new PlatformError('STATE_REFUSES', {
    field: 'ID',
    message:
      `ID: the ${record.title.toLowerCase()} can't be deleted while it has ledgers that are part of the books: ` +
      `${listed.join(', ')}. Set a final status instead, or move the ledgers to another record.`,
  });
}
