import type { Context } from '../../../../kernel/door/context.ts';
import { loggableMessage } from '../../../../kernel/database/database-error.ts';
import type { StagedDocument } from '../../../../kernel/ports/documents.ts';
import { childText, type XmlElement } from '../../../../kernel/xml/element.ts';
import { findTargetCase } from './find-case.ts';
import { importCase } from './import-case.ts';
import { importDocuments } from './import-documents.ts';
import { importMessages } from './import-messages.ts';
import { importTasks } from './import-tasks.ts';
import { reportableError } from '../../lib/reportable-error.ts';
import { referenceOf, type ItemLog, type LogRow } from './item-log.ts';
import { startWorkflow } from './start-workflow.ts';
import { caseKinds, referralFacts, referralRecord, type ReferralOperation } from './referral-schemas.ts';

/** Returns the items of a submission in document order. */
export function submissionItems(referral: ReferralOperation, root: XmlElement): readonly XmlElement[] {
  return root.children.filter((child) => child.name === referralFacts(referral).item);
}

/** One item of a submission, with its number in the document from 1. */
export interface NumberedItem {
  readonly referral: ReferralOperation;
  readonly number: number;
  readonly item: XmlElement;
  /** The attached files of the submission, by token. */
  readonly files: ReadonlyMap<string, StagedDocument>;
}

/**
 * Saves one item of a submission in the context's transaction: a case with everything nested in it, or a stand-alone
 * record on an existing case. A new case starts the workflow of the import type.
 */
export async function importItem(
  ctx: Context,
  { referral, item, files }: NumberedItem,
  log: ItemLog,
  importType: string,
): Promise<void> {
  const { kind, standAlone, update } = referralFacts(referral);
  if (kind !== undefined) {
    const made = await importCase(ctx, { kind: caseKinds[kind], update, item, files }, log);
    if (made) await startWorkflow(ctx, importType, made);
    return;
  }
  const parent = await findTargetCase(
    ctx,
    childText(item, 'Object') ?? '',
    childText(item, 'ObjectSubscriberID') ?? '',
  );
  const target = { parent, isNewCase: false, files, log };
  switch (standAlone) {
    case 'Message':
      return importMessages(ctx, [item], target);
    case 'ImportForm':
      return importTasks(ctx, [item], target);
    case 'Attachment':
      return importDocuments(ctx, [item], target);
    default:
      throw new Error(`the referral operation ${referral} declares neither a kind of case nor a stand-alone record`);
  }
}

/**
 * Returns the log row of an item that failed as a whole; nothing of the item is saved. Unexpected errors are logged and
 * reported without details. `objectId`: the case that the item would have changed.
 */
export function failedItemRow(
  ctx: Context,
  { referral, item }: NumberedItem,
  { error, objectId }: { readonly error: unknown; readonly objectId: number | null },
): LogRow {
  const known = reportableError(ctx, error);
  if (!known)
    ctx.log.error('referral item failed', { correlationId: ctx.correlationId, error: loggableMessage(error) });
  return {
    object: referralRecord(referral),
    objectId,
    operation: 'Save',
    status: 'Error',
    reference: referenceOf(item),
    message: known?.message ?? `Unexpected error. Quote the correlation ID ${ctx.correlationId} to support.`,
    properties: null,
  };
}
