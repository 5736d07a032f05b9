import { isOpenItem } from '../../lib/open.ts';
import { recordId, type ListAnswer, type Row, type TreeAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { hasRecordClass } from '../../../../kernel/database/sql.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { fillSignature, parseSignature } from '../../../../kernel/door/signature.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { cancelWhere, PIECE_ITEMS, publishInsertedItems } from './worklist-items.ts';
import type { smartWorklist } from '../smartworklist.record.ts';

/** The result of a calculation. */
export interface CalculationCounts {
  readonly Matches: number;
  readonly Added: number;
  readonly Canceled: number;
}

interface CalculationTemplate {
  readonly method: string | null;
  readonly object: string | null;
  readonly teamId: number | null;
  readonly priority: number | null;
  readonly matrixId: number | null;
}

/** Search parameters for paging, columns and order, which are ignored: all rows are read, with their ID only. */
const pageNames = new Set(['recordstart', 'displaysize', 'sqlcolumns', 'orderby', 'recordcount']);

/**
 * Makes a worklist's open items match the records its search finds. Runs in the call's transaction under a lock on the
 * worklist: a crash changes nothing, and concurrent calculations and saves of items wait. Record IDs go to a temporary
 * table page by page, so that memory does not grow with their number.
 */
export async function calculateWorklist(
  ctx: Context<typeof smartWorklist>,
  worklistId: number,
  worklist: Row<typeof smartWorklist>,
): Promise<CalculationCounts> {
  const template = await calculationTemplate(ctx, worklist);
  if ((template.method ?? '').trim() === '')
    throw new PlatformError('STATE_REFUSES', {
      field: 'CalculateMethod',
      message: "CalculateMethod: the queue's template has none; expected a signature such as Loan/Search?Status=Late.",
    });
  if (template.object === null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'SourceObject',
      message: 'SourceObject: neither the queue nor its template has a record type to search.',
    });
  const record = ctx.registry.requireRecord(template.object, 'SourceObject');
  const Matches = await findMatches(ctx, record, await filtersOf(template.method ?? ''));
  const Canceled = await cancelWhere(
    ctx,
    `(i.calculatedworklistid = $1::bigint or (i.smartworklistid = $1::bigint and i.calculatedworklistid is null))
      and i.auditedmemberid is null and not exists (select from worklistmatch m where m.id = i.sourceobjectid
      and i.sourceobject = m.object)`,
    worklistId,
    'The record no longer matches the queue.',
  );
  const Added = await addMatches(ctx, worklistId, {
    teamId: worklist.TeamID ?? template.teamId,
    priority: worklist.Priority ?? template.priority,
  });
  await ctx.db.query('drop table worklistmatch');
  await updateRow(ctx, ctx.record, worklistId, { CalculatedDate: ctx.clock.now() });
  if (Added > 0 && template.matrixId !== null)
    await ctx.enqueue({ route: 'smartworklist/autoassign', parameters: { ID: worklistId } });
  return { Matches, Added, Canceled };
}

async function calculationTemplate(ctx: Context, worklist: Row<typeof smartWorklist>): Promise<CalculationTemplate> {
  const [row] = await ctx.db.query<CalculationTemplate>(
    `select calculatemethod as method, coalesce($2::text, sourceobject) as object, teamid as "teamId", priority,
       teammatrixid as "matrixId"
     from smartworklisttemplate
     where smartworklisttemplateid = $1::bigint`,
    [worklist.SmartWorklistTemplateID, worklist.SourceObject],
  );
  return (
    row ?? {
      method: null,
      object: worklist.SourceObject,
      teamId: null,
      priority: null,
      matrixId: null,
    }
  );
}

/** Returns the parameters after the question mark; the operation before it is ignored. */
async function filtersOf(method: string): Promise<Parameters> {
  const at = method.indexOf('?');
  const signature = parseSignature(`Any/Search${at < 0 ? '' : method.slice(at)}`, { field: 'CalculateMethod' });
  const filters = await fillSignature(signature, (expression) => {
    throw new PlatformError('BAD_SIGNATURE', {
      field: 'CalculateMethod',
      message:
        `CalculateMethod: {${expression.slice(0, 100)}} cannot be filled in: a queue is not calculated ` +
        'for a record.',
    });
  });
  return Object.fromEntries(Object.entries(filters).filter(([name]) => !pageNames.has(name.toLowerCase())));
}

/** Searches with the caller's permission and access, and stores the IDs found with their concrete types. */
async function findMatches(ctx: Context, record: RecordType, filters: Parameters): Promise<number> {
  await ctx.db.query(
    'create temporary table worklistmatch (id bigint primary key, object text collate "C") on commit drop',
  );
  const { table } = record.root;
  const [name, from] = hasRecordClass(record.root)
    ? ['r.recordclass', `join ${table} r on r.${table}id = s.id`]
    : [`'${record.name}'`, ''];
  const text = `insert into worklistmatch (id, object)
    select s.id, ${name}
    from unnest($1::bigint[]) s (id) ${from}
    on conflict do nothing`;
  await ctx.readNamed(
    `${record.module}/search`,
    { ...filters, SqlColumns: record.idField },
    async (piece: ListAnswer | TreeAnswer) => {
      const ids = piece.kind === 'list' ? piece.rows.map((row) => recordId(record, row)) : [];
      if (ids.length > 0) await ctx.db.query(text, [arrayLiteral(ids)]);
    },
  );
  await ctx.db.query('analyze worklistmatch');
  const [counted] = await ctx.db.query<{ n: number }>('select count(*)::integer as n from worklistmatch');
  return counted?.n ?? 0;
}

/** Adds an item for each record found that has no open one here, or in another worklist where a matrix moved it. */
async function addMatches(
  ctx: Context,
  worklistId: number,
  given: { readonly teamId: number | null; readonly priority: number | null },
): Promise<number> {
  let added = 0;
  for (let after = 0; ;) {
    const [piece] = await ctx.db.query<{ last: number | null }>(
      `select max(id) as last
       from (select id from worklistmatch where id > $1::bigint order by id limit ${PIECE_ITEMS}) p`,
      [after],
    );
    if (typeof piece?.last !== 'number') return added;
    const rows = await ctx.db.query<{ id: number }>(
      // The second bound on the piece keeps the subquery from reading all items of the worklist for each piece.
      `insert into smartworklistmember (
         smartworklistid, calculatedworklistid, status, sourceobject, sourceobjectid, teamid, priority,
         createddate, createdpersonid, updateddate, updatedpersonid
       )
       select $1::bigint, $1::bigint, 'Queued', m.object, m.id, $4::bigint, $5::integer,
         $6::timestamptz, $7::bigint, $6::timestamptz, $7::bigint
       from worklistmatch m
       where m.id > $2::bigint
         and m.id <= $3::bigint
         and not exists (
           select
           from smartworklistmember i
           where i.sourceobjectid = m.id
             and i.sourceobject = m.object
             and i.sourceobjectid > $2::bigint
             and i.sourceobjectid <= $3::bigint
             and ${isOpenItem('i')}
             and (i.smartworklistid = $1::bigint or i.calculatedworklistid = $1::bigint)
         )
       order by m.id
       returning smartworklistmemberid as id`,
      [worklistId, after, piece.last, given.teamId, given.priority, ctx.clock.now(), ctx.user.personId],
    );
    await publishInsertedItems(
      ctx,
      rows.map(({ id }) => id),
    );
    added += rows.length;
    after = piece.last;
  }
}
