import type { Context } from '../../../../kernel/door/context.ts';
import { openCondition } from '../../../../kernel/records/save/final-status.ts';
import { maySearch } from '../../configuration/lib/may-search.ts';
import type { Holding } from './holding.ts';

/** Most rows of one kind. Users have a handful of keys and views, and work of a few dozen queues and types. */
const KIND_MAX = 500;

/** A query of holdings. `$1` is the user; `$2`, if it is used, the current time. */
interface HoldingQuery {
  readonly kind: Holding['Kind'];
  /** The record type that the caller must be allowed to search. */
  readonly type: string;
  /** The record type of `id`. */
  readonly object: string | null;
  /** Returns `id`, `name`, `detail`, `held` and `used`. */
  readonly sql: string;
  readonly timed?: true;
}

interface HoldingRow {
  readonly id: number | null;
  readonly name: string | null;
  readonly detail: string | null;
  readonly held: number;
  readonly used: string | null;
}

/** Returns what the tables of records say that a user holds, of the types that the caller may search. */
export async function storedHoldings(ctx: Context, personId: number): Promise<readonly Holding[]> {
  const found: Holding[] = [];
  for (const { kind, type, object, sql, timed } of [...workQueries(ctx), ...listQueries, ...accessQueries]) {
    if (!maySearch(ctx, ctx.registry.requireRecord(type, 'Object'))) continue;
    const values = timed ? [personId, ctx.clock.now()] : [personId];
    const rows = await ctx.db.query<HoldingRow>(`${sql} limit ${KIND_MAX}`, values);
    for (const { id, name, detail, held, used } of rows)
      found.push({
        Kind: kind,
        Object: object,
        ObjectID: id,
        Name: name,
        Detail: detail,
        HeldCount: held,
        LastUsed: used,
      });
  }
  return found;
}

const NO_DETAIL = 'null::text as detail';
const ONE = '1 as held';
const NEVER = 'null::timestamptz as used';

/** Returns the queries of open work, by queue, type and kind of case. */
function workQueries({ registry }: Context): readonly HoldingQuery[] {
  const openOf = (type: string, alias: string): string => openCondition(registry.requireRecord(type, 'Object'), alias);
  return [
    {
      kind: 'WorkItem',
      type: 'SmartWorklistMember',
      object: 'SmartWorklist',
      sql: `select i.smartworklistid as id, w.smartworklist as name, ${NO_DETAIL}, count(*)::integer as held, ${NEVER}
        from smartworklistmember i
        join smartworklist w on w.smartworklistid = i.smartworklistid
        where i.personid = $1::bigint and ${openOf('SmartWorklistMember', 'i')}
        group by 1, 2 order by 4 desc, 1`,
    },
    {
      kind: 'Task',
      type: 'ImportForm',
      object: 'ImportFormTemplate',
      sql: `select t.importformtemplateid as id, coalesce(t.importformtemplate, i.importform) as name, ${NO_DETAIL},
          count(*)::integer as held, ${NEVER}
        from importform i
        left join importformtemplate t on t.importformtemplateid = i.importformtemplateid
        where i.assignedpersonid = $1::bigint and ${openOf('ImportForm', 'i')}
        group by 1, 2 order by 4 desc, 1, 2`,
    },
    {
      kind: 'Case',
      type: 'Process',
      object: null,
      sql: `select null::bigint as id, p.recordclass as name, ${NO_DETAIL}, count(*)::integer as held, ${NEVER}
        from process p
        where p.assignedpersonid = $1::bigint and ${openOf('Process', 'p')}
        group by 2 order by 2`,
    },
  ];
}

/** Lists of the user, and what they are notified of. */
const listQueries: readonly HoldingQuery[] = [
  {
    kind: 'View',
    type: 'View',
    object: 'View',
    sql: `select v.viewid as id, v.view as name, c.collection as detail, ${ONE}, ${NEVER}
      from view v
      left join collection c on c.collectionid = v.collectionid
      where v.personid = $1::bigint order by 2, 1`,
  },
  {
    kind: 'SharedView',
    type: 'View',
    object: 'View',
    sql: `select v.viewid as id, v.view as name, c.collection as detail, ${ONE}, ${NEVER}
      from view v
      left join collection c on c.collectionid = v.collectionid
      where v.personid is null and v.createdpersonid = $1::bigint order by 2, 1`,
  },
  {
    kind: 'Follow',
    type: 'Follow',
    object: null,
    sql: `select null::bigint as id, object as name, ${NO_DETAIL}, count(*)::integer as held, ${NEVER}
      from follow where personid = $1::bigint group by 2 order by 2`,
  },
];

/** Ways to sign in as the user, and what imports as them. */
const accessQueries: readonly HoldingQuery[] = [
  {
    kind: 'ApiKey',
    type: 'ApiKey',
    object: 'ApiKey',
    timed: true,
    sql: `select k.apikeyid as id, k.apikey as name, k.keystart as detail, ${ONE}, u.lastused as used
      from apikey k
      left join apikeyuse u on u.apikeyid = k.apikeyid
      where k.personid = $1::bigint and k.revokeddate is null and (k.expires is null or k.expires > $2::timestamptz)
      order by 2, 1`,
  },
  {
    kind: 'SftpAccount',
    type: 'SftpAccount',
    object: 'SftpAccount',
    sql: `select sftpaccountid as id, sftpaccount as name, template as detail, ${ONE}, ${NEVER}
      from sftpaccount where personid = $1::bigint and lower(coalesce(status, '')) = 'active' order by 2, 1`,
  },
  {
    kind: 'Session',
    type: 'Session',
    object: 'Session',
    timed: true,
    sql: `select sessionid as id, address as name, session as detail, ${ONE}, lastseen as used
      from session
      where personid = $1::bigint and endeddate is null and expires > $2::timestamptz
      order by lastseen desc, 1`,
  },
  {
    kind: 'Import',
    type: 'ImportFile',
    object: 'ImportFile',
    sql: `select importfileid as id, importfile as name, status as detail, ${ONE}, ${NEVER}
      from importfile
      where createdpersonid = $1::bigint and status = 'Importing' order by 1`,
  },
];
