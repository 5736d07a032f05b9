import type { Context } from '../../../../kernel/door/context.ts';
import { startRun } from '../../bulkrun/lib/start-run.ts';
import { openWorkFilters, recordOf, type HandoverKind } from './handover-kinds.ts';

/** The work of a user that is given away. */
export interface WorkTransfer {
  readonly from: { readonly personId: number; readonly name: string };
  /** Who gets it; null for nobody: items go back to their queues. */
  readonly to: number | null;
}

/** Starts the bulk change that gives away all open work of one kind, in the background. Returns its ID. */
export async function startHandoverRun(ctx: Context, kind: HandoverKind, transfer: WorkTransfer): Promise<number> {
  const { from, to } = transfer;
  const record = recordOf(ctx, kind);
  const row = await startRun(ctx, {
    name: `Hand over ${kind.words} of ${from.name}`,
    query: { module: record.module, filters: openWorkFilters(ctx, kind, from.personId) },
    recordType: record.name,
    labelColumn: record.name,
    signature: `${kind.operation}?ID={${record.idField}}&${kind.column}=${to ?? ''}`,
    undoSignature: `${record.module}/rollback?ID={Result}&CallID={CallID}`,
  });
  return Number(row['BulkRunID']);
}
