import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { lockInstance } from '../../../../../kernel/database/advisory-lock.ts';
import { activeCondition } from '../../../../../kernel/records/save/final-status.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';

/** Waits for whoever starts, or opens, a workflow of the same kind on the same record, where its template lets there be one alone. Before rows are locked, as a save does. Without row security. */
export async function lockOneActive(ctx: Context, id: number): Promise<void> {
  const [kind] = await ctx.db.query<{ templateId: number; object: string; objectId: number }>(
    `select d.decisiontemplateid as "templateId", d.object, d.objectid as "objectId" from decision d join decisiontemplate t using (decisiontemplateid)
     where d.decisionid = $1::bigint and d.object is not null and d.objectid is not null and lower(coalesce(t.repeatable, 'Many') collate "C") <> 'many'`,
    [id],
  );
  if (kind) await lockInstance(ctx, 'decision', kind.templateId, { object: kind.object, id: kind.objectId });
}

/**
 * Refuses to open workflows again, or to have others go on in their place, where the template's Repeatable is One or OneActive and another one is active on the record: whoever saved
 * one there meanwhile got that. Without row security. @throws STATE_REFUSES naming the other one, the newest of several
 */
export async function assertOneActive(ctx: Context, ids: readonly number[]): Promise<void> {
  const [found] = await ctx.db.query<{ id: number; other: number }>(
    `select d.id, decision.decisionid as other
     from (select decisionid as id, object, objectid, decisiontemplateid from decision where decisionid = any($1::bigint[])) d
     join decisiontemplate t on t.decisiontemplateid = d.decisiontemplateid and lower(coalesce(t.repeatable, 'Many') collate "C") <> 'many'
     join decision on decision.objectid = d.objectid and decision.object = d.object and decision.decisiontemplateid = d.decisiontemplateid and decision.decisionid <> d.id and ${activeCondition(ctx.registry.requireRecord('Decision', 'ID'))}
     order by decision.decisionid desc limit 1`,
    [arrayLiteral(ids)],
  );
  if (!found) return;
  const message = `The Decision ${found.id} cannot be active beside the Decision ${found.other}: of its template there is one on a record. Cancel that one first, or go on with it.`;
  throw new PlatformError('STATE_REFUSES', {
    field: 'ID',
    message,
    details: { Object: 'Decision', ObjectID: found.other },
  });
}
