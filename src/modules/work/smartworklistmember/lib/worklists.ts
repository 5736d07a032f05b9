import type { Context } from '../../../../kernel/door/context.ts';
import { nearest, PlatformError } from '../../../../kernel/door/errors.ts';
import { lockName } from '../../../../kernel/database/advisory-lock.ts';
import { insertRow } from '../../../../kernel/records/save/insert-row.ts';
import type { Db } from '../../../../kernel/database/store.ts';

/** What a kind of worklist says of its items. */
export interface WorklistTemplate {
  readonly id: number;
  readonly name: string;
  readonly sourceObject: string | null;
  readonly memberUrl: string | null;
  readonly onAssign: string | null;
  readonly teamId: number | null;
  readonly priority: number | null;
  readonly teamMatrixId: number | null;
}

/** A worklist, with what decides for its items where nothing else does. */
export interface Worklist {
  readonly id: number;
  readonly name: string | null;
  readonly templateId: number | null;
  readonly sourceObject: string | null;
  readonly teamId: number | null;
  readonly priority: number | null;
  readonly isOpen: boolean;
}

async function loadTemplate(db: Db, id: number): Promise<WorklistTemplate | undefined> {
  const [row] = await db.query<WorklistTemplate>(
    `select smartworklisttemplateid as id, smartworklisttemplate as name, sourceobject as "sourceObject", memberurl as "memberUrl", onassignsourceperson as "onAssign",
       teamid as "teamId", priority, teammatrixid as "teamMatrixId" from smartworklisttemplate where smartworklisttemplateid = $1::bigint`,
    [id],
  );
  return row;
}

/** A template, remembered until configuration changes; undefined for a worklist of none. */
export async function templateOf(ctx: Context, id: number | null): Promise<WorklistTemplate | undefined> {
  if (id === null) return undefined;
  const remembered = await ctx.configuration.get(`worklist template ${id}`, () =>
    loadTemplate(ctx.configuration.db, id),
  );
  // Not among what is committed: this very transaction may have made it.
  return remembered ?? loadTemplate(ctx.db, id);
}

const COLUMNS =
  'smartworklistid as id, smartworklist as name, smartworklisttemplateid as "templateId", sourceobject as "sourceObject", teamid as "teamId", priority, canceleddate is null as "isOpen"';

/** A worklist that an item is put on: it stays open until the item is there, since whoever cancels it waits. @throws NOT_FOUND, STATE_REFUSES */
export async function openWorklist(ctx: Context, id: number): Promise<Worklist> {
  const [row] = await ctx
    .transaction()
    .elevated((db) =>
      db.query<Worklist & Record<string, unknown>>(
        `select ${COLUMNS} from smartworklist where smartworklistid = $1::bigint for share`,
        [id],
      ),
    );
  if (!row)
    throw new PlatformError('NOT_FOUND', {
      field: 'SmartWorklistID',
      message: `SmartWorklistID: there is no SmartWorklist ${id}.`,
    });
  if (!row.isOpen)
    throw new PlatformError('STATE_REFUSES', {
      field: 'SmartWorklistID',
      message: `SmartWorklistID: worklist ${id} is canceled and takes no items.`,
    });
  return row;
}

/** The newest open worklist of a name. */
export async function namedWorklist(ctx: Context, name: string): Promise<Worklist | undefined> {
  const [row] = await ctx
    .transaction()
    .elevated((db) =>
      db.query<Worklist & Record<string, unknown>>(
        `select ${COLUMNS} from smartworklist where smartworklist = $1::text and canceleddate is null order by smartworklistid desc limit 1 for share`,
        [name],
      ),
    );
  return row;
}

/** As many names of open worklists are compared with one that none of them has. */
const NAMES_COMPARED_MAX = 1_000;

/** Refuses a name that no open worklist has, as the caller reaches them. @throws BAD_PARAMETER with the nearest names */
export async function assertOpenWorklistNamed({ db }: Context, name: string, field: string): Promise<void> {
  if (
    (
      await db.query('select 1 from smartworklist where smartworklist = $1::text and canceleddate is null limit 1', [
        name,
      ])
    ).length > 0
  )
    return;
  const open = await db.query<{ name: string }>(
    `select distinct smartworklist as name from smartworklist where smartworklist is not null and canceleddate is null order by 1 limit ${NAMES_COMPARED_MAX}`,
  );
  const near = nearest(
    name,
    open.map((row) => row.name),
  );
  throw new PlatformError('BAD_PARAMETER', {
    field,
    message: `${field}: no open worklist is named "${name.slice(0, 100)}".${near.length > 0 ? ` Nearest: ${near.join(', ')}.` : ''}`,
  });
}

async function openWorklistOfTemplate(ctx: Context, templateId: number): Promise<Worklist | undefined> {
  const [row] = await ctx
    .transaction()
    .elevated((db) =>
      db.query<Worklist & Record<string, unknown>>(
        `select ${COLUMNS} from smartworklist where smartworklisttemplateid = $1::bigint and canceleddate is null order by smartworklistid desc limit 1 for share`,
        [templateId],
      ),
    );
  return row;
}

/** The open worklist of a template; made where there is none. Two that need one at the same moment get one. */
export async function worklistOfTemplate(ctx: Context, templateId: number): Promise<Worklist> {
  const found = await openWorklistOfTemplate(ctx, templateId);
  if (found) return found;
  await lockName(ctx, `worklist of template ${templateId}`);
  const again = await openWorklistOfTemplate(ctx, templateId);
  if (again) return again;
  const template = await templateOf(ctx, templateId);
  return makeWorklist(ctx, { name: template?.name ?? null, templateId, sourceObject: template?.sourceObject ?? null });
}

/** The open worklist of a name; made where there is none, for records of any type. */
export async function worklistNamed(ctx: Context, name: string): Promise<Worklist> {
  const found = await namedWorklist(ctx, name);
  if (found) return found;
  await lockName(ctx, `worklist named ${name.toLowerCase()}`);
  return (await namedWorklist(ctx, name)) ?? makeWorklist(ctx, { name, templateId: null, sourceObject: null });
}

async function makeWorklist(
  ctx: Context,
  made: { readonly name: string | null; readonly templateId: number | null; readonly sourceObject: string | null },
): Promise<Worklist> {
  const record = ctx.registry.requireRecord('SmartWorklist', 'SmartWorklist');
  const values = new Map<string, unknown>([
    ['smartworklist', made.name],
    ['status', 'Open'],
    ['smartworklisttemplateid', made.templateId],
    ['sourceobject', made.sourceObject],
  ]);
  const row = await ctx.transaction().elevated(() => insertRow(ctx, record, values));
  return { id: Number(row['SmartWorklistID']), ...made, teamId: null, priority: null, isOpen: true };
}
