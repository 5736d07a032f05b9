import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { openCondition } from '../../../../kernel/records/save/final-status.ts';
import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import { queuesOutsideTeams } from '../../../work/public/queues-outside-teams.ts';
import { recordOf, type HandoverKind } from './handover-kinds.ts';

/** Most cases or queues that a refusal names. */
const NAMED_MAX = 5;

/** Who gets the work of a user. */
interface Receiver {
  readonly personId: number;
  readonly name: string;
  /** The firm of a user without universal access, who reaches only its rows; 0 for none. */
  readonly firm: number | undefined;
  readonly permissions: ReadonlySet<string>;
}

/**
 * Throws STATE_REFUSES, naming queues or cases, unless a colleague is active, may do the work and reaches all of it.
 * `kinds`: what they are to get from `from`.
 */
export async function assertCanReceive(
  ctx: Context,
  kinds: readonly HandoverKind[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const [first] = kinds;
  if (!first) return;
  const receiver = await readReceiver(ctx, to, first.to);
  for (const kind of kinds) {
    assertMayDo(kind, receiver);
    if (receiver.firm !== undefined) await assertReaches(ctx, kind, from, receiver);
    if (kind.type !== 'SmartWorklistMember') continue;
    const queues = await queuesOutsideTeams(ctx, { from, to }, NAMED_MAX);
    if (queues.length > 0) throw refusal(kind, receiver, `is not in the team of items in ${quoted(queues)}`);
  }
}

async function readReceiver(ctx: Context, personId: number, field: string): Promise<Receiver> {
  const [row] = await ctx.db.query<{ name: string; roles: string | null; firm: number | null; isactive: boolean }>(
    `select person as name, roles, organizationid as firm, coalesce(status, 'Active') = 'Active' as isactive
     from person where personid = $1::bigint`,
    [personId],
  );
  if (!row?.isactive)
    throw new PlatformError('STATE_REFUSES', { field, message: `${field}: expected an active user.` });
  const rights = await ctx.rightsOfRoles(splitCommaList(row.roles ?? ''));
  const firm = rights.universal ? undefined : (row.firm ?? 0);
  return { personId, name: row.name, firm, permissions: rights.permissions };
}

/** What a user needs to do the work of a kind. */
const neededPermissions: Readonly<Record<HandoverKind['type'], string>> = {
  SmartWorklistMember: 'SmartWorklistMemberComplete',
  ImportForm: 'ImportFormSave',
  Process: 'ProcessSelect',
};

function assertMayDo(kind: HandoverKind, receiver: Receiver): void {
  const needed = neededPermissions[kind.type];
  if (!receiver.permissions.has(needed))
    throw refusal(kind, receiver, `does not have the permission ${needed} that the ${kind.words} need`);
}

/** Throws unless a firm's user reaches all that they are to get. Nobody of a firm sees work items. */
async function assertReaches(ctx: Context, kind: HandoverKind, from: number, receiver: Receiver): Promise<void> {
  if (kind.type === 'SmartWorklistMember')
    throw refusal(kind, receiver, 'belongs to a firm, and users of firms do not work on queues');
  const record = recordOf(ctx, kind);
  const rows = await ctx.db.query<{ name: string | null }>(
    `select distinct coalesce(p.process, r.${record.name.toLowerCase()}) as name
     from ${record.table} r
     left join process p on ${
       kind.type === 'Process' ? 'p.processid = r.processid' : 'p.processid = r.objectid and p.recordclass = r.object'
     }
     where r.${kind.column.toLowerCase()} = $1::bigint and r.reachorganizationid is distinct from $2::bigint
       and ${openCondition(record, 'r')}
     order by 1
     limit ${NAMED_MAX}`,
    [from, receiver.firm],
  );
  const cases = rows.map(({ name }) => name ?? '');
  if (cases.length > 0) throw refusal(kind, receiver, `cannot see the cases ${quoted(cases)}`);
}

function refusal(kind: HandoverKind, { name }: Receiver, why: string): PlatformError {
  return new PlatformError('STATE_REFUSES', {
    field: kind.to,
    message: `${kind.to}: ${name} ${why}. Choose someone else, or leave the field empty.`,
  });
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
