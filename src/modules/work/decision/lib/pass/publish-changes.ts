import type { Context } from '../../../../../kernel/door/context.ts';
import type { ColumnName } from '../../../../../kernel/declare/columns.ts';
import { commitWritten } from '../../../../../kernel/records/save/commit-change.ts';
import type { decision } from '../../decision.record.ts';

/** Publishes changes of steps, which are written in bulk without saves. Runs as the built-in user Workflow. */
export async function publishSteps(own: Context, change: 'insert' | 'update', ids: Iterable<number>): Promise<void> {
  const changed = change === 'update' ? (['Status'] as const) : [];
  const record = own.registry.recordType('DecisionStep');
  await commitWritten(own, { record, change, ids: [...ids], publishedColumns: () => changed });
}

/** Publishes changes of workflows; `changed` names the columns. */
export async function publishDecisions(
  own: Context,
  ids: Iterable<number>,
  changed: readonly ColumnName<typeof decision>[],
): Promise<void> {
  const record = own.registry.recordType('Decision');
  await commitWritten(own, { record, change: 'update', ids: [...ids], publishedColumns: () => changed });
}
