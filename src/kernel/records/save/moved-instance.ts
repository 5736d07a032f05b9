import { lockInstance } from '../../database/advisory-lock.ts';
import type { RecordType } from '../../declare/record.ts';
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { activeCondition } from './final-status.ts';
import type { SavePlan } from './plan.ts';
import type { KnownParent } from './resolve-references.ts';

/** A record that moves below another parent, of a template of which a parent has only one instance. */
interface MovedInstance {
  readonly templateId: number;
  readonly template: string | null;
  /** Whether instances that are final do not count. */
  readonly onlyActive: boolean;
}

/**
 * Throws STATE_REFUSES if a save moves a record below a parent that has an instance of its template already, although
 * the template allows one (Repeatable One, or OneActive while both are active). A new instance would be the existing
 * one; a moved one would be the second.
 */
export async function assertOnlyInstance(
  ctx: Context,
  { record, movesReferences }: SavePlan,
  id: number,
  parent: KnownParent | undefined,
): Promise<void> {
  const type = ctx.registry.record(record.template ?? '');
  if (!parent || !type || movesReferences === true) return;
  const moved = await movedInstance(ctx, { record: record.root, type }, id, parent);
  if (!moved) return;
  const { table } = record.root;
  await lockInstance(ctx, table, moved.templateId, { object: parent.record.name, id: parent.id });
  const owner =
    record.instanceKey === undefined
      ? ''
      : `and r.${record.instanceKey.toLowerCase()} is not distinct from m.${record.instanceKey.toLowerCase()}`;
  const [other] = await ctx.db.query<{ id: number }>(
    `select r.${table}id as id
     from ${table} m
     join ${table} r on r.object = $2::text and r.objectid = $3::bigint and r.${type.table}id = m.${type.table}id
       and r.${table}id <> m.${table}id ${owner} ${moved.onlyActive ? `and ${activeCondition(record.root, 'r')}` : ''}
     where m.${table}id = $1::bigint
     order by 1 desc
     limit 1`,
    [id, parent.record.name, parent.id],
  );
  if (!other) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'ObjectID',
    message:
      `ObjectID: ${parent.record.name} ${parent.id} already has ${record.name} ${other.id} of the template ` +
      `"${moved.template ?? moved.templateId}", which allows one. Complete or delete one of the two first.`,
    details: { Object: record.name, ObjectID: other.id },
  });
}

/** Returns what a record is an instance of, if it moves and a parent may have only one. */
async function movedInstance(
  ctx: Context,
  { record, type }: { readonly record: RecordType; readonly type: RecordType },
  id: number,
  parent: KnownParent,
): Promise<MovedInstance | undefined> {
  const { table } = record;
  const [row] = await ctx.db.query<MovedInstance>(
    `select t.${type.table}id as "templateId", t.${type.table} as template,
       lower(t.repeatable) = 'oneactive' as "onlyActive"
     from ${table} r
     join ${type.table} t on t.${type.table}id = r.${type.table}id
     where r.${table}id = $1::bigint
       and (r.object, r.objectid) is distinct from ($2::text, $3::bigint)
       and (lower(t.repeatable) = 'one' or (lower(t.repeatable) = 'oneactive' and ${activeCondition(record, 'r')}))`,
    [id, parent.record.name, parent.id],
  );
  return row;
}
