import type { Context } from '../../../../kernel/door/context.ts';
import { firmOf } from '../../../../kernel/security/identity.ts';
import { activeCondition } from '../../../../kernel/records/save/final-status.ts';
import type { KnownParent } from '../../../../kernel/records/save/resolve-references.ts';
import type { StoredInstance } from './nested-target.ts';

/** Most tasks or holds of one template on a case among which a sent one is recognized; the newest. */
const INSTANCES_MAX = 500;

interface InstanceRow {
  readonly id: number;
  readonly open: boolean;
  readonly canceled: boolean;
  readonly start: string | null;
  readonly projected: string | null;
  readonly completion: string | null;
  readonly reason: string | null;
  readonly followup: boolean;
  readonly own: boolean;
}

/** Returns the tasks or holds of a template on a case, the newest first. */
export async function storedInstances(
  ctx: Context,
  type: 'ImportForm' | 'DecisionDelay',
  { template, parent }: { readonly template: number; readonly parent: KnownParent },
): Promise<readonly StoredInstance[]> {
  const record = ctx.registry.recordType(type);
  const { table } = record;
  const isHold = type === 'DecisionDelay';
  const rows = await ctx.db.query<InstanceRow>(
    `select ${table}id as id, (${activeCondition(record)}) as open,
       ${isHold ? 'false' : 'canceleddate is not null'} as canceled,
       actualstart as start, projectedcompletion as projected, actualcompletion as completion,
       ${isHold ? 'reasondetail' : 'null::text'} as reason,
       ${isHold ? 'false' : 'isfollowup is true'} as followup,
       ($4::bigint is null or exists (
         select from person p where p.personid = ${table}.createdpersonid and p.organizationid = $4::bigint)) as own
     from ${table} where object = $1::text and objectid = $2::bigint and ${table}templateid = $3::bigint
     order by ${table}id desc limit ${INSTANCES_MAX}`,
    [parent.record.name, parent.id, template, firmOf(ctx.user)],
  );
  return rows.map(({ id, open, canceled, start, projected, completion, reason, followup, own }) => ({
    id,
    isOpen: open,
    isCanceled: canceled,
    start: toMilliseconds(start),
    projected: toMilliseconds(projected),
    completion: toMilliseconds(completion),
    reason: reason ?? '',
    isFollowUp: followup,
    isOwn: own,
  }));
}

function toMilliseconds(instant: string | null): number | null {
  return instant === null ? null : Date.parse(instant);
}
