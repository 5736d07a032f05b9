import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { namesHint, PlatformError } from '../../../../kernel/door/errors.ts';
import { f } from '../../../../kernel/declare/field.ts';
import { bad, parseValue } from '../../../../kernel/parameters/parse-value.ts';
import { cachedIndex } from './index-cache.ts';
import { indexMatrix, type MatrixIndex } from './matrix-index.ts';
import { readTable } from './stored-table.ts';
import { isChangedInTransaction } from './versions.ts';
import { notFound } from '../../../../kernel/records/search/read.ts';

/** A matrix with its index, ready for lookups. */
export interface FoundMatrix {
  readonly id: number;
  readonly name: string;
  /** The id of its version; null for a matrix that this transaction has changed, whose version is not written yet. */
  readonly version: number | null;
  readonly index: MatrixIndex;
}

interface LatestVersion {
  readonly id: number;
  readonly name: string;
  readonly version: number | null;
}

const latestVersionSql = `select m.matrixid as id, m.matrix as name,
    (select max(v.matrixversionid) from matrixversion v where v.matrixid = m.matrixid) as version
  from matrix m`;

/** Selects a matrix by name or id. */
export interface MatrixSelector {
  readonly name?: string | null | undefined;
  readonly id?: number | null | undefined;
}

/**
 * Returns a matrix by name or id: its current version, or the one at an instant. Without an instant, a repeated lookup
 * needs no query. Throws NOT_FOUND with the nearest names, or MISSING_PARAMETER if neither name nor id is given.
 */
export async function findMatrix(ctx: Context, selector: MatrixSelector, asOf?: string): Promise<FoundMatrix> {
  const { id, name, version: latest } = await latestVersion(ctx, selector);
  if (asOf === undefined && isChangedInTransaction(ctx, id))
    return { id, name, version: null, index: await changedIndex(ctx, id) };
  const version = asOf === undefined ? latest : await versionAt(ctx, id, name, asOf);
  if (version === null) throw new Error(`matrix ${id} has no version`);
  return { id, name, version, index: await cachedIndex(ctx.configuration.committed, version) };
}

/**
 * Returns the index of a matrix changed in this transaction, built from its records: its version is written only on
 * commit.
 */
function changedIndex(ctx: Context, id: number): Promise<MatrixIndex> {
  return ctx.configuration.get(`changed matrix ${id}`, async () => {
    const table = await readTable(ctx.db, id);
    if (!table) throw notFound({ name: 'Matrix' }, id);
    return indexMatrix(table, nextTurn);
  });
}

/** Returns the id and name of a matrix. */
async function latestVersion(ctx: Context, { name, id }: MatrixSelector): Promise<LatestVersion> {
  const { configuration } = ctx;
  if (id !== undefined && id !== null) {
    return configuration.get(`matrix ${id}`, async () => {
      const [found] = await configuration.db.query<LatestVersion>(`${latestVersionSql} where m.matrixid = $1::bigint`, [
        id,
      ]);
      if (!found) throw notFound({ name: 'Matrix' }, id);
      return found;
    });
  }
  if (typeof name !== 'string' || name.trim() === '')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Matrix',
      message: 'Matrix is required: the name of the matrix, or its ID.',
    });
  return configuration.get(`matrix named ${name}`, async () => {
    const [found] = await configuration.db.query<LatestVersion>(
      `${latestVersionSql} where m.matrix = $1::text collate casewright_text`,
      [name.trim()],
    );
    if (!found) throw await unknownMatrix(ctx, name);
    return found;
  });
}

async function unknownMatrix(ctx: Context, name: string): Promise<PlatformError> {
  const names = await ctx.configuration.get('matrix names', async () =>
    (
      await ctx.configuration.db.query<{ name: string }>(
        'select matrix as name from matrix where matrix is not null order by matrix limit 10000',
      )
    ).map((row) => row.name),
  );
  return new PlatformError('NOT_FOUND', {
    field: 'Matrix',
    message: `Matrix: no matrix has this name.${namesHint(name, names)}`,
  });
}

async function versionAt(ctx: Context, id: number, name: string, asOf: string): Promise<number> {
  const { db } = ctx.configuration;
  const [found] = await db.query<{ id: number }>(
    `select matrixversionid as id
     from matrixversion
     where matrixid = $1::bigint and createddate <= $2::timestamptz
     order by createddate desc, matrixversionid desc
     limit 1`,
    [id, asOf],
  );
  if (found) return found.id;
  const [first] = await db.query<{ at: string }>(
    'select min(createddate) as at from matrixversion where matrixid = $1::bigint',
    [id],
  );
  throw new PlatformError('NOT_FOUND', {
    field: 'AsOf',
    message: `AsOf: ${name} was created at ${first?.at ?? 'a later time'}; it has no earlier version.`,
  });
}

/** Parses AsOf: a past instant, or a day, which means its end so that changes during that day count. */
export function instantOf(ctx: Context, asOf: string | null | undefined): string | undefined {
  if (typeof asOf !== 'string' || asOf === '') return undefined;
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(asOf.trim());
  const field = f.timestamp({ doc: 'When.' });
  const at = parseValue(field, isDay ? `${asOf.trim()}T23:59:59.999` : asOf, 'AsOf', {
    timeZone: ctx.settings.get(timeZone),
  }) as string;
  const now = ctx.clock.now();
  if (at <= now) return at;
  const today = isDay && (parseValue(field, asOf, 'AsOf', { timeZone: ctx.settings.get(timeZone) }) as string) <= now;
  if (!today) throw bad('AsOf', 'a date or time in the past');
  return now;
}
