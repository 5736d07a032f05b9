import { isOpenStep, isOpenWorkflow } from '../../../lib/open.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { advance } from '../pass/advance.ts';

/** Workflows queued in one transaction. */
const PAGE_WORKFLOWS = 500;
/** Most workflows of one call. It queues another call for the rest. */
const BACKFILL_WORKFLOWS_MAX = 10_000;

/** The open workflows to handle. */
export interface BackfillScope {
  readonly ids: readonly number[] | undefined;
  readonly templateId: number | undefined;
  /** Only workflows with a higher ID. */
  readonly after: number;
}

/** The result of a call. `next`: the last workflow, if more may follow. */
export interface BackfillResult {
  readonly workflows: number;
  readonly completed: number;
  readonly failed: number;
  readonly next: number | undefined;
}

interface DueWorkflow {
  readonly id: number;
  readonly due: readonly { readonly step: number; readonly at: string }[];
}

/**
 * Goes through open workflows by rising ID. Completes steps with a past ProjectedCompletion as of that date, and queues
 * a pass over each workflow. Each workflow's steps complete in a separate transaction. Repeating it is harmless.
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

/**
 * Returns the next open workflows with their due steps. Workflows on hold are left out; they continue when the hold
 * ends.
 */
function pageOf(ctx: Context, { ids, templateId, after }: BackfillScope): Promise<DueWorkflow[]> {
  return ctx.db.query<DueWorkflow>(
    `select d.decisionid as id,
       coalesce(
         (
           select json_agg(
             json_build_object('step', s.decisionstepid, 'at', s.projectedcompletion)
             order by s.projectedcompletion, s.decisionstepid
           )
           from decisionstep s
           where s.decisionid = d.decisionid
             and ${isOpenStep('s')}
             and s.projectedcompletion <= $4::timestamptz
         ),
         '[]'
       ) as due
     from decision d
     where ${isOpenWorkflow('d')}
       and d.delayed is not true
       and d.decisiontemplateversionid is not null
       and (d.actualstart is null or d.actualstart <= $4::timestamptz)
       and d.decisionid > $1::bigint
       and ($2::bigint[] is null or d.decisionid = any($2::bigint[]))
       and ($3::bigint is null or d.decisiontemplateid = $3::bigint)
     order by d.decisionid
     limit ${PAGE_WORKFLOWS}`,
    [after, ids ? arrayLiteral(ids) : null, templateId ?? null, ctx.clock.now()],
  );
}

/** Completes the steps of one workflow as of their dates. A failure is reported as a warning and the rest continue. */
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
    ctx.alert({ code: error.code, id, text: `Workflow ${id} is left unchanged: ${error.message}` });
    return false;
  }
}
