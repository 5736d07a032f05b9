import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { decisionProcessOnInsert } from '../../settings.ts';
import { advanceAndReport } from '../pass/advance.ts';

/** Calls that queue the first pass of their new workflow. */
const queuedFirstPass = new WeakSet<Context>();

/** Makes the job queue run the first pass of the workflow that the call creates. */
export function queueFirstPass(ctx: Context): void {
  queuedFirstPass.add(ctx);
}

/**
 * Processes a new workflow, unless a setting turns that off. One with a later start or a queue name is processed from
 * the job queue. Returns its row after the pass, where that is known without reading it.
 */
export async function processNew(
  ctx: Context,
  row: Row,
  { queueName, hasNoSteps }: { readonly queueName?: string | undefined; readonly hasNoSteps?: true } = {},
): Promise<Row | undefined> {
  const id = Number(row['DecisionID']);
  const start = row['ActualStart'];
  const isLater = typeof start === 'string' && Date.parse(start) > ctx.clock.milliseconds();
  const isQueued = queuedFirstPass.has(ctx) && ctx.settings.get(decisionProcessOnInsert);
  if (isLater || isQueued || queueName !== undefined) {
    await ctx.actingAs('Workflow', (own) =>
      own.enqueue({
        route: 'decision/process',
        parameters: { ID: id },
        label: `Decision ${id}`,
        ...(isLater ? { queuedDate: start } : {}),
        ...(queueName === undefined ? {} : { queueName }),
      }),
    );
    return row;
  }
  return ctx.settings.get(decisionProcessOnInsert) ? (await advanceAndReport(ctx, id, [], hasNoSteps && row)).row : row;
}
