import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { makeTask } from './hold-task.ts';

/** The most workflows of one case that a hold lets go on. */
const RELEASED_MAX = 1_000;

/** What a hold brings with it when it starts: its task, and the status that its case gets. One that had ended when it was told brings nothing. */
export async function holdStarted(ctx: Context, hold: Row): Promise<void> {
  if ((hold['ActualCompletion'] ?? null) !== null) return;
  await makeTask(ctx, hold);
  const { DecisionDelayTemplateID: templateId, Object: object, ObjectID: objectId } = hold;
  const record = typeof object === 'string' ? ctx.registry.record(object) : undefined;
  if (typeof templateId !== 'number' || !record || typeof objectId !== 'number') return;
  const [template] = await ctx.db.query<{ status: string | null }>(
    "select nullif(trim(onstartparentstatus), '') as status from decisiondelaytemplate where decisiondelaytemplateid = $1::bigint",
    [templateId],
  );
  const status = template?.status ?? null;
  // It is the template that says so, as with the statuses that steps give to a case.
  if (status !== null)
    await ctx.actingAs('Workflow', (own) => own.callNamed(`${record.module}/save`, { ID: objectId, Status: status }));
}

const RELEASED = `select d.decisionid as id from decision d
  where d.actualcompletion is null and d.canceleddate is null and not coalesce(d.delayed, false)
    and (d.decisionid = $1::bigint or ($1::bigint is null and d.objectid = $3::bigint and d.object = $2::text and d.object <> 'Loan'
      and exists (select 1 from decisiondelaytemplate t where t.decisiondelaytemplateid = $4::bigint and ($5::boolean or coalesce(t.decisiontemplateid, d.decisiontemplateid) = d.decisiontemplateid))))
  order by 1 limit ${RELEASED_MAX}`;

/** Workflows of a case that ended while they were on hold, or at the very moment at which the hold came. The hold's own trigger leaves out what has ended. */
const ENDED_ON_HOLD = `select casewright_hold_decision(d.decisionid) from decision d
  where d.objectid = $2::bigint and d.object = $1::text and d.delayed and (d.actualcompletion is not null or d.canceleddate is not null) order by d.decisionid desc limit ${RELEASED_MAX}`;

/** Each workflow that the last of its holds has let go is processed from the queue; `retold`: its template is another one now, so that it may have held others. */
export async function holdEnded(ctx: Context, hold: Row, templateChanged: boolean): Promise<void> {
  const params = [
    hold['DecisionID'] ?? null,
    hold['Object'] ?? null,
    hold['ObjectID'] ?? null,
    hold['DecisionDelayTemplateID'] ?? null,
    templateChanged,
  ];
  const released = await ctx.transaction().elevated(async (db) => {
    if (hold['DecisionID'] === null || hold['DecisionID'] === undefined)
      await db.query(ENDED_ON_HOLD, [params[1], params[2]]);
    return db.query<{ id: number }>(RELEASED, params);
  });
  if (released.length === 0) return;
  await ctx.actingAs('Workflow', async (own) => {
    for (const { id } of released)
      await own.enqueue({ route: 'decision/process', parameters: { ID: id }, label: `Decision ${id}` });
  });
}
