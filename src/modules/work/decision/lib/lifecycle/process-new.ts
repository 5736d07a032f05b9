import type { Context } from '../../../../../kernel/door/context.ts';
import { scratch } from '../../../../../kernel/door/scratch.ts';
import { decisionProcessOnInsert } from '../../settings.ts';
import { advanceAndReport } from '../pass/advance.ts';
import { readAheadOfPass } from '../pass/read-ahead.ts';
import type { Values } from '../../../../../kernel/declare/values.ts';
import type { decision, Workflow } from '../../decision.record.ts';

/** Whether the job queue is to run the first pass of the next workflow that the transaction creates. */
const nextFirstPass = scratch('first pass of the next workflow', () => ({ isQueued: false }));

/** Runs a function that creates a workflow, whose first pass the job queue will run. */
export async function withQueuedFirstPass<T>(ctx: Context, create: () => Promise<T>): Promise<T> {
  const next = ctx.scratch(nextFirstPass);
  next.isQueued = true;
  try {
    return await create();
  } finally {
    next.isQueued = false;
  }
}

/** Whether the workflow that has just been created is the one whose first pass is queued: not one that follows it. */
function takeQueuedFirstPass(ctx: Context): boolean {
  const next = ctx.scratch(nextFirstPass);
  const { isQueued } = next;
  next.isQueued = false;
  return isQueued;
}

/** Reads what the first pass over a new workflow needs, right after its insert, if the pass runs immediately. */
export async function readAheadOfNew(ctx: Context, values: Readonly<Values<typeof decision>>): Promise<void> {
  const isProcessed = ctx.settings.get(decisionProcessOnInsert) && !ctx.scratch(nextFirstPass).isQueued;
  if (isProcessed && !isLater(ctx, values.ActualStart)) await readAheadOfPass(ctx, values);
}

function isLater(ctx: Context, start: string | null | undefined): boolean {
  return typeof start === 'string' && Date.parse(start) > ctx.clock.milliseconds();
}

/**
 * Processes a new workflow, unless a setting turns that off. One with a later start or a queue name is processed from
 * the job queue. Returns its row after the pass, where that is known without reading it.
 */
export async function processNew(
  ctx: Context,
  row: Workflow,
  { queueName, hasNoSteps }: { readonly queueName?: string | undefined; readonly hasNoSteps?: true } = {},
): Promise<Workflow | undefined> {
  const id = row.DecisionID;
  const start = row.ActualStart;
  const isQueued = takeQueuedFirstPass(ctx) && ctx.settings.get(decisionProcessOnInsert);
  const startsLater = start !== null && isLater(ctx, start);
  if (startsLater || isQueued || queueName !== undefined) {
    await ctx.actingAs('Workflow', (own) =>
      own.enqueue({
        route: 'decision/process',
        parameters: { ID: id },
        label: `Decision ${id}`,
        ...(startsLater ? { queuedDate: start } : {}),
        ...(queueName === undefined ? {} : { queueName }),
      }),
    );
    return row;
  }
  return ctx.settings.get(decisionProcessOnInsert) ? (await advanceAndReport(ctx, id, [], hasNoSteps && row)).row : row;
}
