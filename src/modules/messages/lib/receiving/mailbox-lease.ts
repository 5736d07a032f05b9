import { randomUUID } from 'node:crypto';
import { leaseEnd, leaseSql } from '../../../../kernel/database/lease.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';

/** Leases of mailboxes: the process that has one watches the mailbox. */
const mailboxLease = leaseSql({ token: { column: 'leaseid', type: 'uuid' } });

/** A mailbox that this process watches. */
export interface MailboxClaim {
  readonly mailboxId: number;
  readonly leaseId: string;
}

/** What leases need of the platform. */
type LeaseParts = Pick<Platform, 'store' | 'clock'>;

/** Starts watching a mailbox, unless another process does. */
export async function claimMailbox(
  { store, clock }: LeaseParts,
  mailboxId: number,
  seconds: number,
): Promise<MailboxClaim | undefined> {
  const leaseId = randomUUID();
  const [row] = await store.query(
    `insert into mailboxlease (mailinboundid, leaseid, leaseduntil)
     select mailinboundid, $2::uuid, $3::timestamptz from mailinbound where mailinboundid = $1::bigint
     on conflict (mailinboundid) do update set ${mailboxLease.start('$3', { token: '$2' })}
       where ${mailboxLease.isFree('$4', 'mailboxlease')}
     returning 1`,
    [mailboxId, leaseId, leaseEnd(clock, seconds), clock.now()],
  );
  return row && { mailboxId, leaseId };
}

/** Extends a lease; returns whether it is still held. */
export async function extendMailbox(
  { store, clock }: LeaseParts,
  { mailboxId, leaseId }: MailboxClaim,
  seconds: number,
): Promise<boolean> {
  const rows = await store.query(
    `update mailboxlease set ${mailboxLease.extend('$3')}
     where mailinboundid = $1::bigint and ${mailboxLease.isHeld('$2')} returning 1`,
    [mailboxId, leaseId, leaseEnd(clock, seconds)],
  );
  return rows.length > 0;
}

/** Ends a lease, so that another process can watch the mailbox at once. */
export async function releaseMailbox({ store }: LeaseParts, { mailboxId, leaseId }: MailboxClaim): Promise<void> {
  await store.query(
    `update mailboxlease set ${mailboxLease.end()} where mailinboundid = $1::bigint and ${mailboxLease.isHeld('$2')}`,
    [mailboxId, leaseId],
  );
}
