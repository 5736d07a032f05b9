import { isOpenWorklist } from '../../lib/open.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { namesHint, PlatformError } from '../../../../kernel/door/errors.ts';
import { lockName } from '../../../../kernel/database/advisory-lock.ts';
import { insertRow } from '../../../../kernel/records/save/insert-row.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { notFound } from '../../../../kernel/records/search/read.ts';

/** The item settings of a worklist template. */
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

/** A worklist, with its defaults for items. */
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
    `select smartworklisttemplateid as id, smartworklisttemplate as name, sourceobject as "sourceObject",
       memberurl as "memberUrl", onassignsourceperson as "onAssign", teamid as "teamId", priority,
       teammatrixid as "teamMatrixId"
     from smartworklisttemplate
     where smartworklisttemplateid = $1::bigint`,
    [id],
  );
  return row;
}

/** Returns a worklist template, cached until configuration changes; undefined without one. */
export async function templateOf(ctx: Context, id: number | null): Promise<WorklistTemplate | undefined> {
  if (id === null) return undefined;
  const remembered = await ctx.configuration.get(`worklist template ${id}`, () =>
    loadTemplate(ctx.configuration.db, id),
  );
  // It may be uncommitted: this transaction may have created it.
  return remembered ?? loadTemplate(ctx.db, id);
}

const COLUMNS =
  'smartworklistid as id, smartworklist as name, smartworklisttemplateid as "templateId", ' +
  `sourceobject as "sourceObject", teamid as "teamId", priority, ${isOpenWorklist()} as "isOpen"`;

/**
 * Returns a worklist that an item is put on, locked against cancellation until the item is there. @throws NOT_FOUND,
 * STATE_REFUSES
 */
export async function openWorklist(ctx: Context, id: number): Promise<Worklist> {
  const [row] = await ctx
    .transaction()
    .elevated((db) =>
      db.query<Worklist>(`select ${COLUMNS} from smartworklist where smartworklistid = $1::bigint for share`, [id]),
    );
  if (!row) throw notFound({ name: 'SmartWorklist' }, id, 'SmartWorklistID');
  if (!row.isOpen)
    throw new PlatformError('STATE_REFUSES', {
      field: 'SmartWorklistID',
      message: `SmartWorklistID: queue ${id} is canceled and takes no work items.`,
    });
  return row;
}

/** Returns the newest open worklist of a name. */
export async function namedWorklist(ctx: Context, name: string): Promise<Worklist | undefined> {
  const [row] = await ctx.transaction().elevated((db) =>
    db.query<Worklist>(
      `select ${COLUMNS}
       from smartworklist
       where smartworklist = $1::text and ${isOpenWorklist()}
       order by smartworklistid desc
       limit 1
       for share`,
      [name],
    ),
  );
  return row;
}

/** Most names compared with an unknown one. */
const NAMES_COMPARED_MAX = 1_000;

/** Rejects a name that no open worklist has that the caller can access. @throws BAD_PARAMETER with the nearest names */
export async function assertOpenWorklistNamed({ db }: Context, name: string, field: string): Promise<void> {
  if (
    (
      await db.query(`select 1 from smartworklist where smartworklist = $1::text and ${isOpenWorklist()} limit 1`, [
        name,
      ])
    ).length > 0
  )
    return;
  const open = await db.query<{ name: string }>(
    `select distinct smartworklist as name
     from smartworklist
     where smartworklist is not null and ${isOpenWorklist()}
     order by 1
     limit ${NAMES_COMPARED_MAX}`,
  );
  const names = open.map((row) => row.name);
  throw new PlatformError('BAD_PARAMETER', {
    field,
    message: `${field}: no open queue is named "${name.slice(0, 100)}".` + namesHint(name, names),
  });
}

async function openWorklistOfTemplate(ctx: Context, templateId: number): Promise<Worklist | undefined> {
  const [row] = await ctx.transaction().elevated((db) =>
    db.query<Worklist>(
      `select ${COLUMNS}
       from smartworklist
       where smartworklisttemplateid = $1::bigint and ${isOpenWorklist()}
       order by smartworklistid desc
       limit 1
       for share`,
      [templateId],
    ),
  );
  return row;
}

/** Returns the open worklist of a template, created if there is none. Concurrent callers get the same one. */
export async function worklistOfTemplate(ctx: Context, templateId: number): Promise<Worklist> {
  const found = await openWorklistOfTemplate(ctx, templateId);
  if (found) return found;
  await lockName(ctx, `worklist of template ${templateId}`);
  const again = await openWorklistOfTemplate(ctx, templateId);
  if (again) return again;
  const template = await templateOf(ctx, templateId);
  return makeWorklist(ctx, { name: template?.name ?? null, templateId, sourceObject: template?.sourceObject ?? null });
}

/** Returns the open worklist of a name, created for records of any type if there is none. */
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
  const record = ctx.registry.recordType('SmartWorklist');
  const values = {
    SmartWorklist: made.name,
    Status: 'Open',
    SmartWorklistTemplateID: made.templateId,
    SourceObject: made.sourceObject,
  };
  const row = await ctx.transaction().elevated(() => insertRow(ctx, record, values));
  return { id: row.SmartWorklistID, ...made, teamId: null, priority: null, isOpen: true };
}
