import type { Context } from '../../../kernel/context.ts';
import { PlatformError } from '../../../kernel/errors.ts';
import { subscriberView } from '../../../kernel/records/subscription.ts';
import { arrayLiteral } from '../../../kernel/store.ts';
import type { LoanKey } from './loan.ts';

/** The case that an item binds to. */
export interface BoundCase {
  readonly id: number;
  readonly closed: boolean;
  readonly loanId: number | null;
}

interface CaseRow {
  readonly processid: number;
  readonly recordclass: string;
  readonly closed: boolean;
  readonly loanid: number | null;
}

/**
 * Makes senders of one loan, and of one SubscriberID within a firm's view, wait for one another until the transaction ends:
 * two referrals of a case at the same moment make one. The loan's lock is always taken first, so that they never wait crosswise.
 */
export async function lockCase(ctx: Context, loanKey: LoanKey | undefined, subscriberId: string | undefined): Promise<void> {
  const keys = [
    ...(loanKey ? [`loan ${loanKey.agency.toLowerCase()} ${loanKey.loan}`] : []),
    ...(subscriberId === undefined ? [] : [`subscriber ${subscriberView(ctx)} ${subscriberId}`]),
  ];
  // The reached role may not lock by number, or a saved query could.
  await ctx.transaction().elevated((db) => db.query('select pg_advisory_xact_lock(hashtextextended(key, 7322)) from unnest($1::text[]) key', [arrayLiteral(keys)]));
}

/** What an item says of the case that it means. */
export interface CaseIdentity {
  readonly subscriberId: string | undefined;
  readonly loanKey: LoanKey | undefined;
  readonly caseNumber: string | undefined;
  readonly update: boolean;
}

/**
 * The case that an item binds to, locked, so that updates that found it in different ways wait for one another: by SubscriberID
 * exactly as sent, within the firm's view; else by Autobind (loan number and Attorney Case ID: the active case, else on updates
 * the one opened last). Undefined: the item makes a new case.
 */
export async function findCase(ctx: Context, identity: CaseIdentity): Promise<BoundCase | undefined> {
  const { subscriberId, update } = identity;
  if (subscriberId !== undefined) {
    const found = await bySubscriber(ctx, subscriberId);
    if (update && !found) throw new PlatformError('NOT_FOUND', { field: 'SubscriberID', message: 'SubscriberID: no Foreclosure has this identifier.' });
    if (!update && found?.closed) throw new PlatformError('STATE_REFUSES', { field: 'SubscriberID', message: 'SubscriberID: the Foreclosure of this identifier is closed; a new case needs a new one.' });
    return found;
  }
  const [active, closed] = await autobind(ctx, identity);
  if (!update) return active;
  const bound = active ?? closed;
  if (!bound) throw new PlatformError('NOT_FOUND', { field: 'Foreclosure', message: 'Foreclosure: no case has this Attorney Case ID on the loan; without a SubscriberID both must be known.' });
  return bound;
}

const isClosed = "(p.dateclosed is not null or coalesce(p.status, '') in ('Closed', 'Canceled', 'Cancelled', 'Rejected'))";

async function bySubscriber(ctx: Context, subscriberId: string): Promise<BoundCase | undefined> {
  const [row] = await ctx.db.query<CaseRow & Record<string, unknown>>(
    `select p.processid, p.recordclass, ${isClosed} as closed, p.loanid from objectsubscription s join process p on p.processid = s.objectid
     where s.subscriberid = $1::text and s.organizationid = $2::bigint and s.object in ('Foreclosure', 'Bankruptcy') for no key update of p`,
    [subscriberId, subscriberView(ctx)],
  );
  if (row && row.recordclass !== 'Foreclosure') throw new PlatformError('BAD_PARAMETER', { field: 'SubscriberID', message: `SubscriberID: this identifier belongs to a ${row.recordclass}.` });
  return row && bound(row);
}

/** The active case and the closed one opened last, each undefined where there is none. */
async function autobind(ctx: Context, { loanKey, caseNumber }: CaseIdentity): Promise<[BoundCase | undefined, BoundCase | undefined]> {
  if (!loanKey || caseNumber === undefined) return [undefined, undefined];
  const rows = await ctx.db.query<CaseRow & Record<string, unknown>>(
    `select p.processid, p.recordclass, ${isClosed} as closed, p.loanid from process p join loan l on l.loanid = p.loanid
     where l.agency = $1::text and l.loan = $2::text and p.process = $3::text and p.recordclass = 'Foreclosure' and ($4::bigint = 0 or p.organizationid = $4)
     order by p.dateopened desc nulls last, p.processid desc for no key update of p`,
    [loanKey.agency, loanKey.loan, caseNumber, subscriberView(ctx)],
  );
  const active = rows.find((r) => !r.closed);
  const closed = rows.find((r) => r.closed);
  return [active && bound(active), closed && bound(closed)];
}

function bound(row: CaseRow): BoundCase {
  return { id: row.processid, closed: row.closed, loanId: row.loanid };
}
