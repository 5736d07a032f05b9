import type { ImportTemplate, RowResult } from '../../../../contracts/import-engine.ts';
import { logCategory } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { StagedDocument } from '../../../../kernel/ports/documents.ts';
import { isRetryable } from '../../../../kernel/database/database-error.ts';
import type { XmlElement } from '../../../../kernel/xml/element.ts';
import { assertOperationsAllowed, usedOperations } from '../../lib/operations-allowed.ts';
import type { ItemRun } from '../../lib/run/run-delivery.ts';
import { runItems } from '../../lib/run/run-items.ts';
import { failedItemRow, importItem, submissionItems, type NumberedItem } from './import-item.ts';
import { ItemLog, type LogRow } from './item-log.ts';
import type { LiftedContent } from './lift.ts';
import type { ReferralOperation } from './referral-schemas.ts';

/** Returns the items of a submission in document order, with its attached files. */
export function numberedItems(
  referral: ReferralOperation,
  root: XmlElement,
  lifted: readonly LiftedContent<StagedDocument>[],
): readonly NumberedItem[] {
  const files = new Map(lifted.map(({ token, value }) => [token, value]));
  return submissionItems(referral, root).map((item, n) => ({ referral, number: n + 1, item, files }));
}

/** How the items of a submission are imported. */
interface ReferralItemsOptions {
  /** The import type whose workflow a new case starts. */
  readonly importType: string;
  /** Whether an interrupted run is delivered again. */
  readonly isRedelivered: boolean;
}

/**
 * Imports the items of a submission, each in its own transaction, from the first one that no earlier delivery has
 * processed. Returns how many have failed completely or partly.
 */
export function importReferralItems(
  run: ItemRun,
  items: readonly NumberedItem[],
  { importType, isRedelivered }: ReferralItemsOptions,
): Promise<number> {
  const { options, operationsAllowed } = run.template;
  const results = (item: NumberedItem, rows: readonly LogRow[]): readonly RowResult[] =>
    rows.map((row) => toRowResult(row, item.number, options));
  /** Cases that items have found, by the item. */
  const found = new Map<NumberedItem, number | null>();
  return runItems(run, inOneBatch(items), {
    limits: { itemsMax: 1, charactersMax: Infinity, charactersOf: () => 0 },
    async importItem(own, item) {
      const log = new ItemLog(item.item, own);
      const before = { ...own.writeCounts };
      found.delete(item);
      try {
        await importItem(own, item, log, importType);
      } catch (error) {
        found.set(item, log.foundCase);
        throw error;
      }
      assertOperationsAllowed(usedOperations(own, before), operationsAllowed, 'item');
      return results(item, log.rows);
    },
    failedItem: (ctx: Context, item, error) =>
      isRedelivered && isRetryable(error)
        ? undefined
        : results(item, [failedItemRow(ctx, item, { error, objectId: found.get(item) ?? null })]),
    isRedelivered,
    storesFailures: true,
  });
}

async function* inOneBatch<T>(items: readonly T[]): AsyncGenerator<readonly T[], void, undefined> {
  yield items;
}

function toRowResult(row: LogRow, line: number, options: ImportTemplate['options']): RowResult {
  const category = logCategory(options, row.status);
  return {
    line,
    label: row.reference ?? row.object,
    object: row.object,
    objectId: row.objectId,
    operation: row.operation,
    status: row.status,
    reference: row.reference,
    ...(row.message === null ? {} : { message: row.message }),
    ...(row.properties === null ? {} : { properties: row.properties }),
    ...(category === undefined ? {} : { category }),
  };
}
