import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { lockInstance } from '../../../../../kernel/database/advisory-lock.ts';
import { activeCondition } from '../../../../../kernel/records/save/final-status.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';

/**
 * Waits for other transactions that start or reopen a workflow of the same template on the same record, if the template
 * allows only one. Call it before locking rows, as a save does. Needs row security off.
 */
export async function lockOneActive(ctx: Context, id: number): Promise<void> {
  const [kind] = await ctx.db.query<{ templateId: number; object: string; objectId: number }>(
    `select d.decisiontemplateid as "templateId", d.object, d.objectid as "objectId"
     from decision d
     join decisiontemplate t using (decisiontemplateid)
     where d.decisionid = $1::bigint
       and d.object is not null
       and d.objectid is not null
       and lower(coalesce(t.repeatable, 'Many') collate "C") <> 'many'`,
    [id],
  );
  if (kind) await lockInstance(ctx, 'decision', kind.templateId, { object: kind.object, id: kind.objectId });
}

/**
 * Refuses to reopen or replace workflows if their template allows only one active workflow per record (Repeatable One
 * or OneActive) and another is active. Needs row security off.
 * @throws STATE_REFUSES with the other workflow, the newest of several
 */
export async function assertOneActive(ctx: Context, ids: readonly number[]): Promise<void> {
  const [found] = await ctx.db.query<{ id: number; other: number }>(
    `select d.id, decision.decisionid as other
     from (
       select decisionid as id, object, objectid, decisiontemplateid
       from decision
       where decisionid = any($1::bigint[])
     ) d
     join decisiontemplate t on t.decisiontemplateid = d.decisiontemplateid
       and lower(coalesce(t.repeatable, 'Many') collate "C") <> 'many'
     join decision on decision.objectid = d.objectid
       and decision.object = d.object
       and decision.decisiontemplateid = d.decisiontemplateid
       and decision.decisionid <> d.id
       and ${activeCondition(ctx.registry.recordType('Decision'))}
     order by decision.decisionid desc
     limit 1`,
    [arrayLiteral(ids)],
  );
  if (!found) return;
  const message =
    `Workflow ${found.id} cannot be active at the same time as workflow ${found.other}: its template allows one ` +
    'workflow per record. Cancel the other one first, or continue with it.';
  throw new PlatformError('STATE_REFUSES', {
    field: 'ID',
    message,
    details: { Object: 'Decision', ObjectID: found.other },
  });
}
