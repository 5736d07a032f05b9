/** Compares the payments, refunds and disputes of a period with those of a gateway, page by page. */
import type {
  GatewayDispute,
  GatewayPayment,
  GatewayRefund,
  Page,
  Period,
} from '../../../../../contracts/payment-provider.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError, unlessMissing } from '../../../../../kernel/door/errors.ts';
import { applyDispute } from '../events/apply-dispute.ts';
import { applyPayments, paymentFinder } from '../events/apply-payments.ts';
import { applyRefund } from '../events/apply-refund.ts';
import type { Gateway } from '../gateways.ts';
import { comparePayment, compareRefund, missingPayment, missingRefund, type Difference } from './differences.ts';
import { readOwnPayments, readOwnRefunds, readUnlistedPayments, readUnlistedRefunds } from './own-rows.ts';
import { storeDifferences } from './store-differences.ts';

/** Most pages of one list of a period. */
const PAGES_MAX = 2_000;
/** Payments here that the gateway did not list, which are read together. */
const UNLISTED_ROWS = 500;

/** How many of each were compared. */
export interface ComparedCounts {
  readonly payments: number;
  readonly refunds: number;
  readonly disputes: number;
  /** Payments and refunds whose status was brought up to date. */
  readonly settled: number;
}

/** Compares everything that was created in a period, and brings what is not settled up to date on the way. */
export async function comparePeriod(ctx: Context, gateway: Gateway, period: Period): Promise<ComparedCounts> {
  const { provider } = gateway;
  const listed: string[] = [];
  const listedRefunds: string[] = [];
  let [settled, disputes] = [0, 0];
  // Refunds first: what a payment was refunded in all is then as the gateway says.
  for await (const items of pagesOf((after) => provider.refunds(period, after))) {
    listedRefunds.push(...items.map(({ id }) => id));
    settled += await compareRefunds(ctx, gateway, items);
  }
  await compareUnlistedRefunds(ctx, gateway, period, listedRefunds);
  for await (const items of pagesOf((after) => provider.payments(period, after))) {
    listed.push(...items.map(({ id }) => id));
    settled += await comparePayments(ctx, gateway, items);
  }
  settled += await compareUnlisted(ctx, gateway, period, listed);
  for await (const items of pagesOf((after) => provider.disputes(period, after))) {
    disputes += items.length;
    await compareDisputes(ctx, gateway, items);
  }
  return { payments: listed.length, refunds: listedRefunds.length, disputes, settled };
}

async function* pagesOf<T>(read: (after: string | undefined) => Promise<Page<T>>): AsyncGenerator<readonly T[]> {
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const { items, next } = await read(after);
    if (items.length > 0) yield items;
    if (next === undefined) return;
    after = next;
  }
  throw new PlatformError('TOO_LARGE', {
    message: `The gateway lists more than ${PAGES_MAX} pages for this period; reconcile fewer days at a time.`,
  });
}

async function comparePayments(ctx: Context, gateway: Gateway, items: readonly GatewayPayment[]): Promise<number> {
  const settled = await applyPayments(ctx, gateway, items);
  await ctx.inTransaction(async (own) => {
    const find = await paymentFinder(own, gateway.id, items);
    const found = items.flatMap((theirs) => comparePayment(find(theirs), theirs));
    await storeDifferences(own, gateway.id, found);
  });
  return settled;
}

/** Reads each payment that the gateway did not list by its ID: it may have been created just outside of the period. */
async function compareUnlisted(
  ctx: Context,
  gateway: Gateway,
  period: Period,
  listed: readonly string[],
): Promise<number> {
  let [after, settled] = [0, 0];
  for (;;) {
    const rows = await readUnlistedPayments(ctx, gateway.id, { period, listed, after, limit: UNLISTED_ROWS });
    const present: GatewayPayment[] = [];
    const missing: Difference[] = [];
    for (const row of rows) {
      const theirs = await gateway.provider.readPayment(row.gatewayId ?? '').catch(unlessMissing);
      if (theirs) present.push(theirs);
      else missing.push(missingPayment(row));
    }
    if (present.length > 0) settled += await comparePayments(ctx, gateway, present);
    await ctx.inTransaction((own) => storeDifferences(own, gateway.id, missing));
    if (rows.length < UNLISTED_ROWS) return settled;
    after = rows.at(-1)?.id ?? after;
  }
}

async function compareRefunds(ctx: Context, gateway: Gateway, items: readonly GatewayRefund[]): Promise<number> {
  let settled = 0;
  for (const refund of items) if ((await applyRefund(ctx, gateway, refund)) === 'applied') settled++;
  await ctx.inTransaction(async (own) => {
    const keys = items.flatMap(({ key }) => key ?? []);
    const [rows, payments] = await Promise.all([
      readOwnRefunds(own, gateway.id, { ids: items.map(({ id }) => id), keys }),
      readOwnPayments(own, gateway.id, { ids: items.map(({ payment }) => payment), keys: [] }),
    ]);
    const byId = new Map(rows.map((row) => [row.gatewayId, row]));
    const byPayment = new Map(payments.map(({ gatewayId, id }) => [gatewayId, id]));
    const found = items.flatMap((theirs) =>
      compareRefund(byId.get(theirs.id), theirs, byPayment.get(theirs.payment) ?? null),
    );
    await storeDifferences(own, gateway.id, found);
  });
  return settled;
}

async function compareUnlistedRefunds(
  ctx: Context,
  gateway: Gateway,
  period: Period,
  listed: readonly string[],
): Promise<void> {
  const rows = await readUnlistedRefunds(ctx, gateway.id, { period, listed, limit: UNLISTED_ROWS });
  const missing: Difference[] = [];
  for (const row of rows)
    if (!(await gateway.provider.readRefund(row.gatewayId ?? '').catch(unlessMissing)))
      missing.push(missingRefund(row));
  await ctx.inTransaction((own) => storeDifferences(own, gateway.id, missing));
}

async function compareDisputes(ctx: Context, gateway: Gateway, items: readonly GatewayDispute[]): Promise<void> {
  for (const dispute of items) await applyDispute(ctx, gateway, dispute);
}
