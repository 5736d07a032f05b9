import { isOpenWorkflow } from '../../lib/open.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { makeTask } from './hold-task.ts';
import type { Hold } from '../decisiondelay.record.ts';

/** Most workflows of one case that the end of a hold releases. */
const RELEASED_MAX = 1_000;

/**
 * Creates the task of a hold that starts, and sets the status of its case. Does nothing for a hold entered after it
 * ended.
 */
export async function holdStarted(ctx: Context, hold: Hold): Promise<void> {
  if (hold.ActualCompletion !== null) return;
  if (hold.DecisionID === null) await warnOfOthers(ctx, hold);
  await makeTask(ctx, hold);
  const { DecisionDelayTemplateID: templateId, Object: object, ObjectID: objectId } = hold;
  const record = typeof object === 'string' ? ctx.registry.record(object) : undefined;
  if (typeof templateId !== 'number' || !record || typeof objectId !== 'number') return;
  const [template] = await ctx.db.query<{ status: string | null }>(
    `select nullif(trim(onstartparentstatus), '') as status
     from decisiondelaytemplate
     where decisiondelaytemplateid = $1::bigint`,
    [templateId],
  );
  const status = template?.status ?? null;
  // The template decides, as with the statuses that steps set.
  if (status !== null)
    await ctx.actingAs('Workflow', (own) => own.callNamed(`${record.module}/save`, { ID: objectId, Status: status }));
}

/** Most workflows that a warning names. */
const NAMED_MAX = 20;

/** Warns of the case's workflows that continue, because the hold's type is not for them. */
async function warnOfOthers(ctx: Context, { Object: object, ObjectID: objectId }: Hold): Promise<void> {
  if (object === null || object === 'Loan' || objectId === null) return;
  const others = await ctx.db.query<{ id: number; name: string | null }>(
    `select d.decisionid as id, d.decision as name
     from decision d
     where d.objectid = $2::bigint and d.object = $1::text and not coalesce(d.delayed, false) and ${isOpenWorkflow('d')}
     order by d.decisionid desc
     limit ${NAMED_MAX}`,
    [object, objectId],
  );
  for (const { id, name } of others)
    ctx.alert({
      code: 'NOT_HELD',
      text: `Workflow "${name ?? id}" continues, because this hold type does not apply to it.`,
      id,
    });
}

const RELEASED = `select d.decisionid as id
  from decision d
  where ${isOpenWorkflow('d')}
    and not coalesce(d.delayed, false)
    and (
      d.decisionid = $1::bigint
      or (
        $1::bigint is null
        and d.objectid = $3::bigint
        and d.object = $2::text
        and d.object <> 'Loan'
        and exists (
          select 1
          from decisiondelaytemplate t
          where t.decisiondelaytemplateid = $4::bigint
            and ($5::boolean or coalesce(t.decisiontemplateid, d.decisiontemplateid) = d.decisiontemplateid)
        )
      )
    )
  order by 1
  limit ${RELEASED_MAX}`;

/**
 * Workflows of a case that ended while on hold, or at the moment the hold came. The trigger of the hold leaves out
 * ended ones.
 */
const ENDED_ON_HOLD = `select casewright_hold_decision(d.decisionid)
  from decision d
  where d.objectid = $2::bigint
    and d.object = $1::text
    and d.delayed
    and (d.actualcompletion is not null or d.canceleddate is not null)
  order by d.decisionid desc
  limit ${RELEASED_MAX}`;

/**
 * Queues each workflow that its last hold has released. `templateChanged`: the hold has another type now, so it may
 * have held others.
 */
export async function holdEnded(ctx: Context, hold: Hold, templateChanged: boolean): Promise<void> {
  const params = [hold.DecisionID, hold.Object, hold.ObjectID, hold.DecisionDelayTemplateID, templateChanged];
  const released = await ctx.transaction().elevated(async (db) => {
    if (hold.DecisionID === null) await db.query(ENDED_ON_HOLD, [hold.Object, hold.ObjectID]);
    return db.query<{ id: number }>(RELEASED, params);
  });
  if (released.length === 0) return;
  await ctx.actingAs('Workflow', async (own) => {
    for (const { id } of released)
      await own.enqueue({ route: 'decision/process', parameters: { ID: id }, label: `Decision ${id}` });
  });
}
