import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import type { Values } from '../../../kernel/declare/values.ts';
import { process } from './process.record.ts';

/** Statuses of cases that are not closed. Workflows set others, which say nothing about it. */
const OPEN_STATUSES = new Set(['open', 'on hold']);

function isOpenStatus(status: string | null | undefined): boolean {
  return OPEN_STATUSES.has(status?.trim().toLowerCase() ?? '');
}

/** Keeps the status of a case and its closing date consistent. */
async function settleClosing(ctx: Context, values: Values<typeof process>, id: number | undefined): Promise<void> {
  const closes = (values.DateClosed ?? null) !== null;
  if (isOpenStatus(values.Status)) {
    if (closes)
      throw new PlatformError('BAD_PARAMETER', {
        field: 'DateClosed',
        message:
          `DateClosed: a case that is ${String(values.Status)} has no closing date; send Status=Closed with it, ` +
          'or leave it out.',
      });
    if (id === undefined || values.DateClosed === null || (await closingOf(ctx, id)).closed === null) return;
    // The case is reopened.
    values.DateClosed = null;
    values.ClosedReason ??= null;
    return;
  }
  if (!closes || values.Status !== undefined) return;
  if (id === undefined || isOpenStatus((await closingOf(ctx, id)).status)) values.Status = 'Closed';
}

async function closingOf(
  ctx: Context,
  id: number,
): Promise<{ readonly status: string | null; readonly closed: string | null }> {
  const [row] = await ctx.db.query<{ status: string | null; closed: string | null }>(
    'select status, dateclosed as closed from process where processid = $1::bigint',
    [id],
  );
  return row ?? { status: null, closed: null };
}

export const checks = [
  defineCheck({
    on: process,
    doc:
      'A case with the status Open or On Hold has no DateClosed: both together are refused, reopening a case empties ' +
      'DateClosed and ClosedReason, and a DateClosed sent alone sets the status Closed.',
    applies: (_ctx, { values }) => Promise.resolve(isOpenStatus(values.Status) || (values.DateClosed ?? null) !== null),
    run: (ctx, { values, id }) => settleClosing(ctx, values, id),
  }),
];
