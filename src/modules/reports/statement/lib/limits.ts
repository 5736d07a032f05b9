import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { sqlState } from '../../../../kernel/database/sql-state.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { statementCostMax, statementMegabytesMax, statementRecursiveSecondsMax } from '../settings.ts';
import type { PreparedStatement } from './prepare-statement.ts';

const MEGABYTE = 1024 * 1024;
/** SQLSTATE of a statement that was ended for its time. */
const TIMED_OUT = '57014';
/** Functions that hold all their rows at once. */
const COLLECTING = /\b(?:array|string|jsonb?|jsonb?_object|range)_agg\b/i;
/** What the database needs for each collected value besides its bytes. */
const VALUE_BYTES = 32;

/** A node of a plan as EXPLAIN writes it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Total Cost': number;
  readonly 'Plan Rows': number;
  readonly 'Plan Width': number;
  readonly Strategy?: string;
  readonly Plans?: readonly PlanNode[];
}

/**
 * Runs a saved query within its time.
 * @throws TIMED_OUT with its reason for a query that calls itself without end
 */
export async function reportWithin<T>(
  ctx: Context,
  { isRecursive }: PreparedStatement,
  run: (db: Db) => Promise<T>,
): Promise<T> {
  if (!isRecursive) return ctx.report(run);
  const seconds = ctx.settings.get(statementRecursiveSecondsMax);
  try {
    return await ctx.report(run, seconds * 1000);
  } catch (error) {
    if (sqlState(error) !== TIMED_OUT) throw error;
    throw new PlatformError('TIMED_OUT', {
      message:
        `The statement is recursive and did not finish within ${seconds} s ` +
        `(setting ${statementRecursiveSecondsMax.name}). ` +
        'Add a condition that ends the recursion.',
      cause: error,
    });
  }
}

/**
 * Refuses a query that would take too much of the database's time or memory, by the database's own estimate for these
 * values.
 * @throws TOO_LARGE
 */
export async function assertAffordable(
  ctx: Context,
  db: Db,
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
): Promise<void> {
  const [row] = await db.query<{ 'QUERY PLAN': unknown }>(`explain (format json) ${text}`, values);
  const explained = row?.['QUERY PLAN'];
  const [{ Plan: plan }] = (typeof explained === 'string' ? JSON.parse(explained) : explained) as [{ Plan: PlanNode }];
  const costMax = ctx.settings.get(statementCostMax);
  if (plan['Total Cost'] > costMax)
    throw tooLarge(
      `its estimated cost is ${inThousands(plan['Total Cost'])}; the limit is ${inThousands(costMax)}`,
      statementCostMax.name,
    );
  const megabytes = COLLECTING.test(text) ? Math.round(collectedBytes(plan) / MEGABYTE) : 0;
  const megabytesMax = ctx.settings.get(statementMegabytesMax);
  if (megabytes > megabytesMax)
    throw tooLarge(
      `it would need about ${inThousands(megabytes)} MB of memory; the limit is ${inThousands(megabytesMax)}`,
      statementMegabytesMax.name,
    );
}

/** Grouped digits are also not taken for an identifier. */
function inThousands(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

function tooLarge(why: string, setting: string): PlatformError {
  return new PlatformError('TOO_LARGE', {
    message: `The statement was not run: ${why} (setting ${setting}). Add a condition, or have it read fewer rows.`,
  });
}

/** Returns the most bytes that one aggregation of the plan holds at once. */
function collectedBytes(plan: PlanNode): number {
  const below = plan.Plans ?? [];
  return Math.max(
    0,
    ...below.map(collectedBytes),
    ...(/^(?:Aggregate|WindowAgg)$/.test(plan['Node Type']) ? below.map((input) => heldBytes(plan, input)) : []),
  );
}

/** Rows that come sorted are held for one group at a time, others for all groups. */
function heldBytes(plan: PlanNode, input: PlanNode): number {
  const groups = plan.Strategy === 'Sorted' ? Math.max(1, plan['Plan Rows']) : 1;
  return (input['Plan Rows'] / groups) * (input['Plan Width'] + VALUE_BYTES);
}
