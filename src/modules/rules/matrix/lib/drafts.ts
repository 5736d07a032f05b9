import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { readDraft, storeDraft, type RecordDraft } from '../../../../kernel/records/drafts/record-drafts.ts';
import { DRAFT_ROWS_MAX, type Grid } from '../../../../lib/decision-tables/grid.ts';
import { matrix } from '../matrix.record.ts';
import { gridOf } from './draft-grid.ts';
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

/** The open draft of a matrix. Its base version is the ID of a matrix version. */
export interface Draft extends RecordDraft<Grid> {
  /** The number of the version that was published when it began. */
  readonly baseNumber: number;
}

/** Returns a matrix with what is published and its open draft. The caller has checked that it exists. */
export async function readEdited(ctx: Context, matrixId: number, name: string): Promise<EditedMatrix> {
  const [version, stored] = await Promise.all([
    readPublished(ctx.db, matrixId),
    readDraft<Grid>(ctx.db, matrix, matrixId),
  ]);
  // A matrix that was not created by an operation has no version before its first change.
  const published = version ?? { id: 0, number: 0, table: await readTable(ctx.db, matrixId) };
  const draft = stored && { ...stored, baseNumber: await versionNumber(ctx.db, matrixId, stored.baseVersion) };
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

/** Returns the number of a version, counted from 1. */
async function versionNumber(db: Db, matrixId: number, versionId: number): Promise<number> {
  const [row] = await db.query<{ number: number }>(
    `select count(*)::integer as number
     from matrixversion
     where matrixid = $1::bigint and matrixversionid <= $2::bigint`,
    [matrixId, versionId],
  );
  return row?.number ?? 0;
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
export const editedGrid = ({ draft, published }: EditedMatrix): Grid => draft?.content ?? gridOf(published.table);

/** Returns a matrix as if its draft had another grid. */
export function withGrid(edited: EditedMatrix, content: Grid): EditedMatrix {
  const { published, draft } = edited;
  const none = { id: 0, version: 0, baseVersion: published.id, updatedDate: '', updatedPersonId: null };
  return { ...edited, draft: { ...(draft ?? { ...none, baseNumber: published.number }), content } };
}

/** Stores the grid of a draft, or begins one. Returns its version. The caller has locked the matrix. */
export async function storeGrid(
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
  return storeDraft(ctx, { record: matrix, id, publishedVersion: published.id }, draft, grid);
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
