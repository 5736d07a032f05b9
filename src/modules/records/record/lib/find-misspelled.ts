import type { Context } from '../../../../kernel/door/context.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { isClosed } from '../../../../kernel/records/search/read.ts';
import { resultColumns, type FoundRecord } from './find-records.ts';
import { spellingDistance } from './near-names.ts';

/** Shortest text: fewer letters are near too many names. */
const LETTERS_MIN = 4;

/**
 * Returns records whose names are spelled nearly like a text, the nearest first. The database returns names that sound
 * like it (`casewright_find_names`); of these, the spelling decides.
 */
export async function findMisspelled(
  ctx: Context,
  text: string,
  only: readonly RecordType[],
  size: number,
): Promise<readonly FoundRecord[]> {
  if (text.replace(/\P{Letter}/gu, '').length < LETTERS_MIN || /[\d*]/.test(text)) return [];
  const roots = ctx.registry
    .records()
    .filter(
      (record) =>
        record.isName === true &&
        record.base === undefined &&
        !isClosed(ctx, record) &&
        ctx.user.permissions.has(ctx.registry.operation(`${record.module}/search`)?.permissionName ?? '') &&
        (only.length === 0 || only.some((one) => one.root === record)),
    );
  const found = await Promise.all(roots.map((root) => findOfType(ctx, root, text, size)));
  return found.flat();
}

async function findOfType(ctx: Context, root: RecordType, text: string, size: number): Promise<readonly FoundRecord[]> {
  const { table } = root;
  const rows = await ctx.db.query<FoundRecord>(
    `select ${resultColumns(root, 'Spelling')}
     from (select distinct id from casewright_find_names('${table}', $1::text, $2::integer)) hits
     join ${table} on ${table}.${table}id = hits.id`,
    [text, size],
  );
  return rows
    .map((row) => ({ row, distance: spellingDistance(text, row.Label ?? '') }))
    .filter(({ distance }) => distance !== undefined)
    .toSorted((a, b) => (a.distance ?? 0) - (b.distance ?? 0) || b.row.ObjectID - a.row.ObjectID)
    .slice(0, size)
    .map(({ row }) => row);
}

/** Returns what was found, and of each type with too few the records with a similar name that are not among them. */
export function withMisspelled(
  spelled: readonly FoundRecord[],
  misspelled: readonly FoundRecord[],
  size: number,
): readonly FoundRecord[] {
  const keys = new Set(spelled.map(({ Object: name, ObjectID: id }) => `${name} ${id}`));
  const more: FoundRecord[] = [];
  for (const row of misspelled) {
    const ofType = [...spelled, ...more].filter(({ Object: name }) => name === row.Object).length;
    if (ofType < size && !keys.has(`${row.Object} ${row.ObjectID}`)) more.push(row);
  }
  return [...spelled, ...more];
}
