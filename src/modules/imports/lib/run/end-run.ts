import type { ImportIssue, RowResult } from '../../../../contracts/import-engine.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { continueWorkflowOfStep } from '../../../work/public/continue-workflow.ts';
import { queueWorkflow } from '../../../work/public/queue-workflow.ts';
import { maskNumbers } from '../../../../kernel/security/mask.ts';
import { fillSignature, parseSignature } from '../../../../kernel/door/signature.ts';
import { importLogRowsMax } from '../../importfile/settings.ts';
import { countLogRows, writeResults, type LogOwner } from './import-log.ts';
import type { RunRow } from './stored-progress.ts';
import type { PipelineTemplate } from '../../importfile/lib/import-template.ts';
import { exceedsFailureThreshold, missesSuccessThreshold } from './threshold.ts';

/** What the log row of a failed run names as its operation. */
const RUN_OPERATION = 'Import';

/** How a run ended. */
export type RunOutcome =
  | { readonly kind: 'completed' | 'threshold' }
  /** `isLogged`: the log has the rows that failed the run. */
  | { readonly kind: 'failed'; readonly message: string; readonly isLogged?: boolean };

/** The parts of an import type that apply when a run ends. */
export type RunEndTerms = Pick<
  PipelineTemplate,
  'onCompleteStatus' | 'failureThreshold' | 'successThreshold' | 'endImportMethod' | 'workflow'
>;

/** A file whose run ends. */
export interface FinishedRun {
  readonly importFileId: number;
  readonly template: RunEndTerms;
}

/**
 * Ends a run once, in the caller's transaction: sets counts and status, and queues EndImport if the run is complete.
 * Does nothing if the file is no longer Importing. A breached threshold and an unreadable source are an Error; saved
 * records remain.
 */
export async function endRun(own: Context, { importFileId, template }: FinishedRun, ending: RunOutcome): Promise<void> {
  const [file] = await own.db.query<EndedFile>(
    `select organizationid, object, objectid, reference from importfile where importfileid = $1::bigint
      and status = 'Importing' for update`,
    [importFileId],
  );
  if (!file) return;
  const [counts] = await own
    .transaction()
    .elevated((db) =>
      db.query<RunRow>('select done, total, success, warnings, errors from importrun where importfileid = $1::bigint', [
        importFileId,
      ]),
    );
  const { success = 0, warnings = 0, errors = 0, done = 0 } = counts ?? {};
  const all = { success, errors, total: Math.max(done, success + errors) };
  const why = failureMessage(template, ending, all);
  const status = why === null ? template.onCompleteStatus : 'Error';
  await own.db.query(
    `update importfile set status = $2::text, successcount = $3::bigint, warnings = $4::bigint, errorcount =
      $5::bigint, message = $6::text, importcomplete = $7::timestamptz,
       updateddate = $7::timestamptz, updatedpersonid = $8::bigint, version = version + 1
       where importfileid = $1::bigint`,
    [importFileId, status, success, warnings, errors, why, own.clock.now(), own.user.personId],
  );
  await logEnd(own, { importFileId, organizationId: file.organizationid }, { ending, why, done });
  if (file.object === 'DecisionStep' && file.objectid !== null) await continueWorkflowOfStep(own, file.objectid);
  if (why !== null) return;
  if (template.workflow?.appliesTo === 'ImportFile')
    await queueWorkflow(own, { templateId: template.workflow.id, object: 'ImportFile', objectId: importFileId });
  await enqueueEndImport(own, template, {
    ImportFileID: importFileId,
    Object: file.object,
    ObjectID: file.objectid,
    Reference: file.reference,
  });
}

/** The columns of an import file that are needed at its end. */
interface EndedFile {
  readonly organizationid: number | null;
  readonly object: string | null;
  readonly objectid: number | null;
  readonly reference: string | null;
}

/** Returns the log row of a run that failed as a whole, before those of the source's rows. */
function failedRun(message: string): RowResult {
  return { line: 0, object: 'ImportFile', operation: RUN_OPERATION, status: 'Error', message };
}

/** How a run ended, for its log: why it failed as a whole, and how many rows were processed. */
interface LoggedEnd {
  readonly ending: RunOutcome;
  readonly why: string | null;
  readonly done: number;
}

async function logEnd(own: Context, owner: LogOwner, { ending, why, done }: LoggedEnd): Promise<void> {
  await logRest(own, owner, done);
  const isLogged = ending.kind === 'failed' && ending.isLogged === true;
  if (why !== null && !isLogged) writeResults(own, owner, [failedRun(why)]);
}

/** Logs how many rows have no log row of their own, if there are so many rows that not all have one. */
async function logRest(own: Context, owner: LogOwner, done: number): Promise<void> {
  const max = own.settings.get(importLogRowsMax);
  if (done <= max) return;
  const rest = done - (await countLogRows(own.db, owner.importFileId)).done;
  if (rest <= 0) return;
  const message =
    `${rest} rows have no log row: after the first ${max} (ImportLogRowsMax), only failures and warnings are ` +
    'logged.';
  writeResults(own, owner, [{ line: 0, object: 'ImportFile', operation: 'None', status: 'Warning', message }]);
}

/** Deletes the log row of the failed run of a file that is opened again. */
export async function deleteFailedRun(db: Db, importFileId: number): Promise<void> {
  await db.query(
    `delete from importlog where importfileid = $1::bigint and sourceline = 0 and status = 'Error'
       and operation = $2::text`,
    [importFileId, RUN_OPERATION],
  );
}

/** Returns why the run failed as a whole, or null if it did not. */
function failureMessage(
  template: RunEndTerms,
  ending: RunOutcome,
  all: { readonly success: number; readonly errors: number; readonly total: number },
): string | null {
  if (ending.kind === 'failed') return maskNumbers(ending.message);
  if (ending.kind === 'threshold' || exceedsFailureThreshold(template.failureThreshold, all))
    return (
      `FailureThreshold: ${all.errors === 1 ? '1 row' : `${all.errors} rows`} failed; ` +
      `${allowedBy(template.failureThreshold)} allows ${thresholdText(template.failureThreshold)}. ` +
      'Saved records remain.'
    );
  if (missesSuccessThreshold(template.successThreshold, all))
    return (
      `SuccessThreshold: ${all.success === 1 ? '1 row was' : `${all.success} rows were`} saved; ` +
      `the import type expects at least ${thresholdText(template.successThreshold)}.`
    );
  return null;
}

function allowedBy(threshold: PipelineTemplate['failureThreshold']): string {
  return threshold?.setting === undefined ? 'the import type' : `the setting ${threshold.setting}`;
}

function thresholdText(threshold: PipelineTemplate['failureThreshold']): string {
  return threshold ? `${threshold.amount}${threshold.isPercent ? '%' : ''}` : '0';
}

/** Queues the import type's EndImportMethod with the commit, for instance to start a workflow. */
async function enqueueEndImport(
  own: Context,
  template: RunEndTerms,
  facts: Readonly<Record<string, string | number | null>>,
): Promise<void> {
  if (template.endImportMethod === undefined) return;
  const signature = parseSignature(template.endImportMethod, { field: 'EndImportMethod' });
  const byName = new Map(Object.entries(facts).map(([name, value]) => [name.toLowerCase(), value]));
  await own.enqueue({
    route: signature.route,
    parameters: await fillSignature(signature, (name) => byName.get(name.toLowerCase()) ?? undefined),
    label: `EndImport of import file ${String(facts['ImportFileID'])}`,
  });
}

/** Rejects a document as a whole: nothing of it is imported, and each issue is logged. */
export async function refuseDocument(
  own: Context,
  importFileId: number,
  organizationId: number | null,
  issues: readonly ImportIssue[],
): Promise<void> {
  writeResults(
    own,
    { importFileId, organizationId },
    issues.map((issue) => ({
      line: issue.line,
      object: 'ImportFile',
      operation: 'Validate',
      status: 'Error',
      message:
        issue.line > 0 && !issue.message.startsWith('Line ') ? `Line ${issue.line}: ${issue.message}` : issue.message,
    })),
  );
  await own.db.query(
    `update importfile set status = 'Validation Error', errorcount = $2::bigint, message = $3::text, importstart =
      coalesce(importstart, $4::timestamptz), importcomplete = $4::timestamptz,
       updateddate = $4::timestamptz, updatedpersonid = $5::bigint, version = version + 1
       where importfileid = $1::bigint`,
    [
      importFileId,
      issues.length,
      maskNumbers(issues[0]?.message ?? '').slice(0, 9_000),
      own.clock.now(),
      own.user.personId,
    ],
  );
}
