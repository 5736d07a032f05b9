import type { ColumnName } from '../../../../kernel/declare/columns.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { commitWritten } from '../../../../kernel/records/save/commit-change.ts';
import { filledColumns } from '../../../../kernel/records/save/changed-columns.ts';
import type { deliveryBatch } from '../../records/deliverybatch.record.ts';
import type { delivery } from '../delivery.record.ts';

/** Publishes changes of letters, which statements of this module write; `changed` names the columns. */
export function publishLetters(
  own: Context,
  ids: readonly number[],
  changed: readonly ColumnName<typeof delivery>[],
): Promise<void> {
  const record = own.registry.recordType('Delivery');
  return commitWritten(own, { record, change: 'update', ids, publishedColumns: () => changed });
}

/** Publishes changes of mailings; `changed` names the columns. */
export function publishMailings(
  own: Context,
  ids: readonly number[],
  changed: readonly ColumnName<typeof deliveryBatch>[],
): Promise<void> {
  const record = own.registry.recordType('DeliveryBatch');
  return commitWritten(own, { record, change: 'update', ids, publishedColumns: () => changed });
}

/** Publishes a new mailing with its letters. */
export async function publishNewMailing(own: Context, batchId: number, letterIds: readonly number[]): Promise<void> {
  const batch = own.registry.recordType('DeliveryBatch');
  const letter = own.registry.recordType('Delivery');
  await commitWritten(own, {
    record: batch,
    change: 'insert',
    ids: [batchId],
    publishedColumns: (row) => filledColumns(batch, row),
  });
  await commitWritten(own, {
    record: letter,
    change: 'insert',
    ids: letterIds,
    publishedColumns: (row) => filledColumns(letter, row),
  });
}
