import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { advance } from '../pass/advance.ts';

/** Workflows that are queued in one transaction. */
const PAGE_WORKFLOWS = 500;
/** Workflows that one call goes through; behind the last one it queues another call. */
const BACKFILL_WORKFLOWS_MAX = 10_000;

/** Which workflows are gone through: open ones only. */
export interface BackfillScope {
  readonly ids: readonly number[] | undefined;
  readonly templateId: number | undefined;
  /** Behind this one. */
  readonly after: number;
}

/** What a call came to. `next`: the last workflow, where more may follow. */
export interface BackfillResult {
  readonly workflows: number;
  readonly completed: number;
  readonly failed: number;
  readonly next: number | undefined;
}

interface DueWorkflow extends Record<string, unknown> {
  readonly id: number;
  readonly due: readonly { readonly step: number; readonly at: string }[];
}

/**
 * Goes through open workflows in the order of their ids: their steps with a ProjectedCompletion that is past complete as of that date,
 * and a pass over each workflow, which starts what is ready, is queued. Every workflow's steps complete in a transaction of their own;
 * done twice there is nothing left to complete, and a pass finds nothing to do.
 */
export async function backfill(ctx: Context, scope: BackfillScope): Promise<BackfillResult> {
  const counts = { workflows: 0, completed: 0, failed: 0 };
  let { after } = scope;
  while (counts.workflows < BACKFILL_WORKFLOWS_MAX) {
    const page = await pageOf(ctx, { ...scope, after });
    for (const workflow of page) {
      if (workflow.due.length === 0) continue;
      if (await completeDue(ctx, workflow)) counts.completed += workflow.due.length;
      else counts.failed += workflow.due.length;
    }
    await ctx.inTransaction((own) =>
      own.actingAs('Workflow', async (workflow) => {
        for (const { id } of page)
          await workflow.enqueue({ route: 'decision/process', parameters: { ID: id }, label: `Decision ${id}` });
      }),
    );
    counts.workflows += page.length;
    after = page.at(-1)?.id ?? after;
    if (page.length < PAGE_WORKFLOWS) return { ...counts, next: undefined };
  }
  return { ...counts, next: after };
}

/** The next open workflows with their steps that are due. What is on hold goes on when the hold ends, and is not gone through. */
function pageOf(ctx: Context, { ids, templateId, after }: BackfillScope): Promise<DueWorkflow[]> {
  return ctx.db.query<DueWorkflow>(
    `select d.decisionid as id, coalesce((select json_agg(json_build_object('step', s.decisionstepid, 'at', s.projectedcompletion) order by s.projectedcompletion, s.decisionstepid) from decisionstep s
         where s.decisionid = d.decisionid and s.actualcompletion is null and s.canceleddate is null and s.projectedcompletion <= $4::timestamptz), '[]') as due
     from decision d where d.actualcompletion is null and d.canceleddate is null and d.delayed is not true and d.decisiontemplateversionid is not null and (d.actualstart is null or d.actualstart <= $4::timestamptz)
       and d.decisionid > $1::bigint and ($2::bigint[] is null or d.decisionid = any($2::bigint[])) and ($3::bigint is null or d.decisiontemplateid = $3::bigint)
     order by d.decisionid limit ${PAGE_WORKFLOWS}`,
    [after, ids ? arrayLiteral(ids) : null, templateId ?? null, ctx.clock.now()],
  );
}

/** Completes the steps of one workflow as of their dates. One that cannot be is told of, and the others go on. */
async function completeDue(ctx: Context, { id, due }: DueWorkflow): Promise<boolean> {
  try {
    const { failure } = await ctx.inTransaction((own) =>
      advance(own, id, [
        {
          kind: 'complete',
          ids: due.map(({ step }) => step),
          at: new Map(due.map(({ step, at }) => [step, new Date(at).toISOString()])),
        },
      ]),
    );
    if (failure) ctx.alert({ code: failure.code, id, text: failure.message });
    return true;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code === 'CONCURRENT_CHANGE') throw error;
    ctx.alert({ code: error.code, id, text: `The Decision ${id} is left as it is: ${error.message}` });
    return false;
  }
}
