import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { decisionProcessOnInsert } from '../../settings.ts';
import { advanceAndReport } from '../pass/advance.ts';

/** Calls whose new workflow is processed from the queue. */
const queuedFirstPass = new WeakSet<Context>();

/** Has the first pass over the workflow that a call makes made from the queue. */
export function queueFirstPass(ctx: Context): void {
  queuedFirstPass.add(ctx);
}

/** Processes a workflow that was just made, unless the installation says otherwise; one that is to start later from the queue, then, and one for which a queue is named from that queue. Answers its row as it then is, where that is known. */
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
