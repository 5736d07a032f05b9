import type { Context } from '../../../../../kernel/door/context.ts';
import { commitWritten } from '../../../../../kernel/records/save/commit-change.ts';

/** Publishes changes of steps, which are written in bulk without saves. Runs as the built-in user Workflow. */
export async function publishSteps(own: Context, change: 'insert' | 'update', ids: Iterable<number>): Promise<void> {
  const changed = change === 'update' ? ['Status'] : [];
  const record = own.registry.recordType('DecisionStep');
  await commitWritten(own, { record, change, ids: [...ids], publishedColumns: () => changed });
}

/** Publishes changes of workflows; `changed` names the columns. */
export async function publishDecisions(own: Context, ids: Iterable<number>, changed: readonly string[]): Promise<void> {
  const record = own.registry.recordType('Decision');
  await commitWritten(own, { record, change: 'update', ids: [...ids], publishedColumns: () => changed });
}
