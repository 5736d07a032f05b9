import type { ListAnswer, Row, TreeAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { hasRecordClass } from '../../../../kernel/database/sql.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { fillSignature, parseSignature } from '../../../../kernel/door/signature.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { cancelWhere, PIECE_ITEMS, publishInsertedItems } from './worklist-items.ts';

/** What a calculation did. */
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

/** Parameters of a search that choose a page, columns or an order: all rows are read, and of each the id alone. */
const pageNames = new Set(['recordstart', 'displaysize', 'sqlcolumns', 'orderby', 'recordcount']);

/**
 * Makes the open items of a worklist those of the records that its search finds. All in the call's transaction, under a lock on the
 * worklist: a crash leaves it as it was, a second calculation waits, and whoever saves an item by hand does too. The ids of the records
 * found go to a temporary table piece by piece, so that memory does not grow with their number.
 */
export async function calculateWorklist(ctx: Context, worklistId: number, worklist: Row): Promise<CalculationCounts> {
  const template = await calculationTemplate(ctx, worklist);
  if ((template.method ?? '').trim() === '')
    throw new PlatformError('STATE_REFUSES', {
      field: 'CalculateMethod',
      message:
        "CalculateMethod: the worklist's template has none; expected a signature such as Loan/Search?Status=Late.",
    });
  if (template.object === null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'SourceObject',
      message: 'SourceObject: neither the worklist nor its template says which records are searched.',
    });
  const record = ctx.registry.requireRecord(template.object, 'SourceObject');
  const Matches = await findMatches(ctx, record, await filtersOf(template.method ?? ''));
  const Canceled = await cancelWhere(
    ctx,
    `(i.calculatedworklistid = $1::bigint or (i.smartworklistid = $1::bigint and i.calculatedworklistid is null)) and i.auditedmemberid is null and not exists (select from worklistmatch m where m.id = i.sourceobjectid and i.sourceobject = m.object)`,
    worklistId,
    'The record does not belong on the worklist any more.',
  );
  const Added = await addMatches(ctx, worklistId, {
    teamId: (worklist['TeamID'] as number | null) ?? template.teamId,
    priority: (worklist['Priority'] as number | null) ?? template.priority,
  });
  await ctx.db.query('drop table worklistmatch');
  await updateRow(ctx, ctx.record, worklistId, new Map([['calculateddate', ctx.clock.now()]]));
  if (Added > 0 && template.matrixId !== null)
    await ctx.enqueue({ route: 'smartworklist/autoassign', parameters: { ID: worklistId } });
  return { Matches, Added, Canceled };
}

async function calculationTemplate(ctx: Context, worklist: Row): Promise<CalculationTemplate> {
  const [row] = await ctx.db.query<CalculationTemplate & Record<string, unknown>>(
    `select calculatemethod as method, coalesce($2::text, sourceobject) as object, teamid as "teamId", priority, teammatrixid as "matrixId" from smartworklisttemplate where smartworklisttemplateid = $1::bigint`,
    [worklist['SmartWorklistTemplateID'], worklist['SourceObject']],
  );
  return (
    row ?? {
      method: null,
      object: worklist['SourceObject'] as string | null,
      teamId: null,
      priority: null,
      matrixId: null,
    }
  );
}

/** What follows the question mark; the operation before it is not called. */
async function filtersOf(method: string): Promise<Parameters> {
  const at = method.indexOf('?');
  const signature = parseSignature(`Any/Search${at < 0 ? '' : method.slice(at)}`, { field: 'CalculateMethod' });
  const filters = await fillSignature(signature, (expression) => {
    throw new PlatformError('BAD_SIGNATURE', {
      field: 'CalculateMethod',
      message: `CalculateMethod: {${expression.slice(0, 100)}} cannot be filled in: a worklist is calculated for no record.`,
    });
  });
  return Object.fromEntries(Object.entries(filters).filter(([name]) => !pageNames.has(name.toLowerCase())));
}

/** Searches as the caller, whose permission and reach count, and keeps the ids that were found with their concrete types. */
async function findMatches(ctx: Context, record: RecordType, filters: Parameters): Promise<number> {
  await ctx.db.query(
    'create temporary table worklistmatch (id bigint primary key, object text collate "C") on commit drop',
  );
  const { table } = record.root;
  const [name, from] = hasRecordClass(record.root)
    ? ['r.recordclass', `join ${table} r on r.${table}id = s.id`]
    : [`'${record.name}'`, ''];
  const text = `insert into worklistmatch (id, object) select s.id, ${name} from unnest($1::bigint[]) s (id) ${from} on conflict do nothing`;
  await ctx.readNamed(
    `${record.module}/search`,
    { ...filters, SqlColumns: record.idField },
    async (piece: ListAnswer | TreeAnswer) => {
      const ids = piece.kind === 'list' ? piece.rows.map((row) => Number(row[record.idField])) : [];
      if (ids.length > 0) await ctx.db.query(text, [arrayLiteral(ids)]);
    },
  );
  await ctx.db.query('analyze worklistmatch');
  const [counted] = await ctx.db.query<{ n: number }>('select count(*)::integer as n from worklistmatch');
  return counted?.n ?? 0;
}

/** Adds an item for each record found that has no open one here, nor elsewhere where a matrix moved it. */
async function addMatches(
  ctx: Context,
  worklistId: number,
  given: { readonly teamId: number | null; readonly priority: number | null },
): Promise<number> {
  let added = 0;
  for (let after = 0; ;) {
    const [piece] = await ctx.db.query<{ last: number | null }>(
      `select max(id) as last from (select id from worklistmatch where id > $1::bigint order by id limit ${PIECE_ITEMS}) p`,
      [after],
    );
    if (typeof piece?.last !== 'number') return added;
    const rows = await ctx.db.query<{ id: number }>(
      `insert into smartworklistmember (smartworklistid, calculatedworklistid, status, sourceobject, sourceobjectid, teamid, priority, createddate, createdpersonid, updateddate, updatedpersonid)
       select $1::bigint, $1::bigint, 'Queued', m.object, m.id, $4::bigint, $5::integer, $6::timestamptz, $7::bigint, $6::timestamptz, $7::bigint from worklistmatch m
       where m.id > $2::bigint and m.id <= $3::bigint and not exists (select from smartworklistmember i where i.sourceobjectid = m.id and i.sourceobject = m.object
         and i.sourceobjectid > $2::bigint and i.sourceobjectid <= $3::bigint -- Or each piece would look at all items of the worklist.
         and i.completiondate is null and i.cancelleddate is null and (i.smartworklistid = $1::bigint or i.calculatedworklistid = $1::bigint))
       order by m.id returning smartworklistmemberid as id`,
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
