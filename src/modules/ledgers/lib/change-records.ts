import { recordId, shapeOf, type ListAnswer, type Row } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError, type Alert } from '../../../kernel/door/errors.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';

/** Most ledgers or lines in a list: each is changed separately. */
export const CHANGED_MAX = 5_000;

/**
 * Changes the records of a list, by rising ID. One that `refusal` refuses is left alone with a warning; if all are, the
 * call fails.
 *
 * @throws LOCKED, STATE_REFUSES
 */
export async function changeEach<R extends RecordType>(
  ctx: Context,
  { record, rows }: { readonly record: R; readonly rows: readonly Row<R>[] },
  refusal: (row: Row<R>) => Alert | undefined,
  change: (row: Row<R>) => Promise<Row<R>>,
): Promise<ListAnswer<Row<R>>> {
  const changed = new Map<number, Row<R>>();
  const refused: Alert[] = [];
  for (const row of rows.toSorted((a, b) => recordId(record, a) - recordId(record, b))) {
    const alert = refusal(row);
    if (alert) refused.push(alert);
    changed.set(recordId(record, row), alert ? row : await change(row));
  }
  assertNotAllRefused(refused, rows.length);
  for (const alert of refused) ctx.alert(alert);
  return {
    kind: 'list',
    name: record.name,
    shape: shapeOf(record),
    rows: rows.map((row) => changed.get(recordId(record, row)) ?? row),
  };
}

/**
 * Throws the refusal of the first record if all of them were refused.
 *
 * @throws LOCKED, STATE_REFUSES
 */
export function assertNotAllRefused(refused: readonly Alert[], count: number): void {
  const [first] = refused;
  if (!first || refused.length < count) return;
  throw new PlatformError(first.code === 'LOCKED' ? 'LOCKED' : 'STATE_REFUSES', {
    field: 'ID',
    message: `ID: ${first.text}`,
    alerts: refused,
  });
}
