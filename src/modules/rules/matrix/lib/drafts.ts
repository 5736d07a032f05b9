import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { DRAFT_ROWS_MAX, type Grid } from '../../../../lib/decision-tables/grid.ts';
import { gridOf, packGrid, unpackGrid } from './draft-grid.ts';
import { unpackTable } from './packed-table.ts';
import { readTable } from './stored-table.ts';
import type { Table } from './table.ts';

/** A version of a matrix that was published. `number` counts its versions from 1. */
export interface PublishedVersion {
  readonly id: number;
  readonly number: number;
  readonly table: Table;
}

/** A matrix as it is edited: what is published, and the draft if there is one. */
export interface EditedMatrix {
  readonly id: number;
  readonly name: string;
  readonly published: PublishedVersion;
  readonly draft: Draft | undefined;
}

/** The open draft of a matrix. */
export interface Draft {
  readonly id: number;
  /** Counts its changes from 1; a save must name the one that it changes. */
  readonly version: number;
  readonly baseVersionId: number;
  /** The number of the version that was published when it began. */
  readonly baseNumber: number;
  readonly updatedDate: string;
  readonly updatedPersonId: number | null;
  readonly grid: Grid;
}

interface StoredDraft {
  readonly id: number;
  readonly version: number;
  readonly baseVersionId: number;
  readonly baseNumber: number;
  readonly updatedDate: string;
  readonly updatedPersonId: number | null;
  readonly content: Uint8Array;
}

/** Returns a matrix with what is published and its open draft. The caller has checked that it exists. */
export async function readEdited(ctx: Context, matrixId: number, name: string): Promise<EditedMatrix> {
  const [version, stored] = await Promise.all([readPublished(ctx.db, matrixId), readDraft(ctx.db, matrixId)]);
  // A matrix that was not created by an operation has no version before its first change.
  const published = version ?? { id: 0, number: 0, table: await readTable(ctx.db, matrixId) };
  const draft = stored && { ...stored, grid: await unpackGrid(stored.content) };
  return { id: matrixId, name, published: { ...published, table: published.table ?? emptyTable(name) }, draft };
}

const emptyTable = (name: string): Table => ({ name, rowNumbers: new Uint32Array(), inputs: [], outputs: [] });

async function readPublished(db: Db, matrixId: number): Promise<PublishedVersion | undefined> {
  const [row] = await db.query<{ id: number; number: number; content: Uint8Array }>(
    `select v.matrixversionid as id, c.content,
       (select count(*)::integer from matrixversion w where w.matrixid = v.matrixid) as number
     from matrixversion v
     join matrixcontent c on c.matrixversionid = v.matrixversionid
     where v.matrixid = $1::bigint
     order by v.matrixversionid desc
     limit 1`,
    [matrixId],
  );
  return row && { id: row.id, number: row.number, table: await unpackTable(row.content) };
}

async function readDraft(db: Db, matrixId: number): Promise<StoredDraft | undefined> {
  const [row] = await db.query<StoredDraft>(
    `select d.matrixdraftid as id, d.version, d.baseversionid as "baseVersionId", d.updateddate as "updatedDate",
       d.updatedpersonid as "updatedPersonId", d.content,
       (select count(*)::integer from matrixversion v
        where v.matrixid = d.matrixid and v.matrixversionid <= d.baseversionid) as "baseNumber"
     from matrixdraft d
     where d.matrixid = $1::bigint and d.closeddate is null`,
    [matrixId],
  );
  return row;
}

/** Returns the table of a version of a matrix. Throws NOT_FOUND. */
export async function readVersion(db: Db, matrixId: number, versionId: number): Promise<Table> {
  const [row] = await db.query<{ content: Uint8Array }>(
    `select c.content
     from matrixcontent c
     join matrixversion v on v.matrixversionid = c.matrixversionid
     where v.matrixid = $1::bigint and v.matrixversionid = $2::bigint`,
    [matrixId, versionId],
  );
  if (!row)
    throw new PlatformError('NOT_FOUND', {
      field: 'MatrixVersionID',
      message: 'MatrixVersionID: this matrix has no such version.',
    });
  return unpackTable(row.content);
}

/** Returns the grid that is edited: that of the draft, or else of what is published. */
export const editedGrid = ({ draft, published }: EditedMatrix): Grid => draft?.grid ?? gridOf(published.table);

/** Throws VERSION_CONFLICT unless the draft is at this version; 0 means that there is none yet. */
export function assertDraftVersion({ draft }: EditedMatrix, version: number): void {
  const now = draft?.version ?? 0;
  if (now === version) return;
  throw new PlatformError('VERSION_CONFLICT', {
    field: 'Version',
    message:
      now === 0
        ? 'The draft has been published or discarded meanwhile. Read the matrix again, then repeat the change.'
        : `The draft is at version ${now}, not ${version}. Read it again, then repeat the change.`,
    details: { Version: now, UpdatedPersonID: draft?.updatedPersonId ?? null },
  });
}

/** Stores the grid of a draft, or begins one. Returns its version. The caller has locked the matrix. */
export async function storeDraft(
  ctx: Context,
  { id, name, draft, published }: EditedMatrix,
  grid: Grid,
): Promise<number> {
  assertEditable(grid);
  if (published.id === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `${name} has no version yet. Save one of its columns to create the first.`,
    });
  const content = await packGrid(grid);
  const [now, user] = [ctx.clock.now(), ctx.user.personId];
  if (draft) {
    await ctx.db.query(
      `update matrixdraft
       set content = $2::bytea, version = version + 1, updateddate = $3::timestamptz, updatedpersonid = $4::bigint
       where matrixdraftid = $1::bigint`,
      [draft.id, content, now, user],
    );
    return draft.version + 1;
  }
  await ctx.db.query(
    `insert into matrixdraft (matrixid, baseversionid, content, createddate, createdpersonid, updateddate,
       updatedpersonid)
     values ($1::bigint, $2::bigint, $3::bytea, $4::timestamptz, $5::bigint, $4::timestamptz, $5::bigint)`,
    [id, published.id, content, now, user],
  );
  return 1;
}

/** Throws TOO_LARGE for a table that is too large for a draft. */
function assertEditable({ rows }: Grid): void {
  if (rows.length > DRAFT_ROWS_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'ID',
      message:
        `This matrix has ${rows.length.toLocaleString('en-US')} rows; a draft has at most ` +
        `${DRAFT_ROWS_MAX.toLocaleString('en-US')}. Export it, change it in a spreadsheet and import it.`,
    });
}

/** Closes the open draft. Its content stays. */
export async function closeDraft(ctx: Context, draft: Draft, outcome: 'Published' | 'Discarded'): Promise<void> {
  await ctx.db.query(
    `update matrixdraft
     set closeddate = $2::timestamptz, closedpersonid = $3::bigint, outcome = $4::text
     where matrixdraftid = $1::bigint`,
    [draft.id, ctx.clock.now(), ctx.user.personId, outcome],
  );
}
