import type { Context } from '../../../../../kernel/door/context.ts';
import type { Change } from '../../../../../kernel/declare/reaction.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';

/** Publishes changes of steps, which are written in bulk without saves. Runs as the built-in user Workflow. */
export async function publishSteps(own: Context, change: Change, ids: Iterable<number>): Promise<void> {
  await publish(own, { name: 'DecisionStep', change, changed: change === 'update' ? ['Status'] : [] }, [...ids]);
}

/** Publishes changes of workflows; `changed` names the columns. */
export async function publishDecisions(own: Context, ids: Iterable<number>, changed: readonly string[]): Promise<void> {
  await publish(own, { name: 'Decision', change: 'update', changed }, [...ids]);
}

async function publish(
  own: Context,
  { name, change, changed }: { readonly name: string; readonly change: Change; readonly changed: readonly string[] },
  ids: readonly number[],
): Promise<void> {
  const record = own.registry.requireRecord(name, 'Object');
  if (ids.length === 0 || !(await own.recordEvents.hasSubscribers(own, record, change))) return;
  for (const id of ids)
    await own.recordEvents.publish(own, record, change, [{ row: await readRecord(own.db, record, id), changed }]);
}
