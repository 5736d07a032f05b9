import type { RowResult } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { StagedDocument } from '../../../../kernel/ports/documents.ts';
import { withoutDestroying } from '../../../../kernel/parameters/body-parameters.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import type { SchemaIssue } from '../../../../kernel/xml/schema-issue.ts';
import { insertImportFile, setSourceDocument } from '../../importfile/lib/create-import-file.ts';
import { importTemplate } from '../../importfile/lib/import-template.ts';
import { discardStaged } from '../../../../kernel/documents/discard-staged.ts';
import { limitMegabytes } from '../../lib/limit-bytes.ts';
import { MESSAGE_CHARACTERS_MAX, type LogOwner } from '../../lib/run/import-log.ts';
import { RunDelivery } from '../../lib/run/run-delivery.ts';
import { investorName, referralMegabytesMax } from '../settings.ts';
import type { NumberedItem } from './import-item.ts';
import { aliveDuring, failInterruptedRun } from './interrupted-runs.ts';
import { referenceOf } from './item-log.ts';
import { readReferral, type ReadReferral } from './read-referral.ts';
import { importReferralItems, numberedItems } from './referral-items.ts';
import { caseKinds, referralFacts, type ReferralOperation } from './referral-schemas.ts';
import { noProgress, submissionProgress, type SubmissionProgress } from './submission-progress.ts';
import { tee } from './tee.ts';

/** Most issues of an invalid document that are logged one by one. */
const ISSUES_LOGGED_MAX = 100;

/** A referral import type. */
interface StreamedReferral {
  readonly templateId: number;
  readonly referral: ReferralOperation;
}

/** The import file of a submission. */
type Submission = LogOwner;

/**
 * Imports one referral document while it streams in: stores the source and attached files, validates the document, then
 * saves each item in its own transaction. Returns the id of the import file, which holds the source and the
 * results, and the code of the error if the document is too large to be read.
 */
export async function importStreamedReferral(
  ctx: Context,
  { templateId, referral }: StreamedReferral,
  fileName: string | undefined,
): Promise<{ readonly id: number; readonly refusal?: 'TOO_LARGE' }> {
  const start = ctx.clock.now();
  const staged: StagedDocument[] = [];
  try {
    const body = await readBody(ctx, referral, staged).catch((error: unknown) => tooLarge(error));
    if (body instanceof PlatformError) {
      const unread = await createSubmission(ctx, { referral, start, fileName, reference: null, document: undefined });
      await endWithoutItems(ctx, unread, 'Error', [errorResult(body.message)]);
      return { id: unread.importFileId, refusal: 'TOO_LARGE' };
    }
    const { read, document } = body;
    const { root, issues, lifted } = read;
    const submission = await createSubmission(ctx, {
      referral,
      start,
      fileName,
      reference: root ? referenceOf(root) : null,
      document,
    });
    await endingOnError(ctx, submission, () =>
      root
        ? importSubmission(ctx, submission, { templateId, referral, items: numberedItems(referral, root, lifted) })
        : endWithoutItems(ctx, submission, 'Validation Error', issueResults(issues, ctx.body?.mime ?? '')),
    );
    return { id: submission.importFileId };
  } finally {
    await discardStaged(ctx, staged);
  }
}

/** Returns an error of a document that is beyond a limit; throws any other. */
function tooLarge(error: unknown): PlatformError {
  if (error instanceof PlatformError && error.code === 'TOO_LARGE') return error;
  throw error;
}

/** Reads the document while it streams in. Adds every stored file to `staged`, also when this throws. */
async function readBody(
  ctx: Context,
  referral: ReferralOperation,
  staged: StagedDocument[],
): Promise<{ readonly read: ReadReferral<StagedDocument>; readonly document: StagedDocument }> {
  const source = tee(limitedBody(ctx));
  // The source is stored from the first byte on; reading the document drives both.
  const storedSource = ctx.documents
    .stage(source.copy, { fileName: `${referral}.xml`, sealed: true })
    .then((file) => (staged.push(file), file));
  storedSource.catch(() => source.endCopy());
  try {
    const read = await readReferral(
      source.bytes,
      referral,
      { investorName: ctx.settings.get(investorName) },
      async (_index, bytes) => {
        const file = await ctx.documents.stage(bytes, { fileName: 'attachment' });
        staged.push(file);
        return file;
      },
    );
    // A document that is rejected early was not read to its end; store the rest of the source too.
    await source.drain();
    return { read, document: await storedSource };
  } catch (error) {
    source.abandon();
    await storedSource.catch(() => undefined);
    throw error;
  }
}

/**
 * Ends the submission as failed if `work` throws, for instance when the database is lost, so that it does not stay
 * Importing.
 */
async function endingOnError(ctx: Context, submission: Submission, work: () => Promise<void>): Promise<void> {
  try {
    await aliveDuring(ctx, submission.importFileId, work);
  } catch (error) {
    await failInterruptedRun(ctx.inTransaction.bind(ctx), submission.importFileId, ctx.clock.now()).catch(
      () => undefined,
    );
    throw error;
  }
}

/**
 * Yields the body up to the size limit; nothing for a form, which is not an XML document.
 * @throws TOO_LARGE
 */
async function* limitedBody(ctx: Context): AsyncIterable<Uint8Array> {
  const { body } = ctx;
  if (!body || isForm(body.mime)) return;
  yield* limitMegabytes(withoutDestroying(body.bytes), ctx.settings.get(referralMegabytesMax), 'submission');
}

function isForm(mime: string): boolean {
  return /^(application\/x-www-form-urlencoded|multipart\/)/.test(mime);
}

interface SubmissionStart {
  readonly referral: string;
  readonly start: string;
  readonly fileName: string | undefined;
  readonly reference: string | null;
  readonly document: StagedDocument | undefined;
}

/** Creates the import file, with its source as a document on it, in a separate transaction. */
function createSubmission(ctx: Context, beginning: SubmissionStart): Promise<Submission> {
  return ctx.inTransaction(async (own) => {
    const [template] = await own.db.query<{ id: number }>(
      'select importfiletemplateid as id from importfiletemplate where importfiletemplate = $1::text',
      [beginning.referral],
    );
    const importFileId = await insertImportFile(own, {
      ImportFile: beginning.fileName ?? beginning.referral,
      Status: 'Importing',
      Reference: beginning.reference,
      ImportStart: beginning.start,
      ImportFileTemplateID: template?.id ?? null,
    });
    if (beginning.document) {
      const saved = await own.call('attachment/save', {
        Object: 'ImportFile',
        ObjectID: importFileId,
        FileName: `${beginning.referral}-${importFileId}.xml`,
        Staged: beginning.document.token,
      });
      await setSourceDocument(own, importFileId, saved.row.AttachmentID);
    }
    return { importFileId, organizationId: ctx.user.universal ? null : ctx.user.organizationId };
  });
}

function issueResults(issues: readonly SchemaIssue[], mime: string): RowResult[] {
  if (isForm(mime))
    return [errorResult('Content-Type: expected text/xml with the XML document as the body; got a form.')];
  const reported = issues
    .slice(0, ISSUES_LOGGED_MAX)
    .map((issue) =>
      errorResult(
        issue.path === '' && (issue.line === 0 || issue.message.startsWith('Line '))
          ? issue.message
          : `Line ${issue.line}${issue.path === '' ? '' : `, ${issue.path}`}: ${issue.message}`,
      ),
    );
  return issues.length > ISSUES_LOGGED_MAX
    ? [...reported, errorResult(`${issues.length - ISSUES_LOGGED_MAX} more.`)]
    : reported;
}

/** Returns an error of the whole document. */
function errorResult(message: string, operation = 'Validate'): RowResult {
  return { line: 0, object: 'ImportFile', operation, status: 'Error', message };
}

/** Imports the items one by one and ends the submission. */
async function importSubmission(
  ctx: Context,
  submission: Submission,
  { templateId, referral, items }: StreamedReferral & { readonly items: readonly NumberedItem[] },
): Promise<void> {
  const { kind } = referralFacts(referral);
  const delivery = new RunDelivery({
    ctx,
    // These import types have no threshold, and an interrupted submission cannot be resumed after one.
    template: { ...(await importTemplate(ctx, templateId)), failureThreshold: undefined },
    store: submissionProgress(submission, kind === undefined ? undefined : caseKinds[kind].record),
    progress: noProgress,
  });
  await importReferralItems(delivery, items, { importType: referral, isRedelivered: false });
  await ctx.inTransaction(async (own) => {
    const progress = await logAlerts(ctx, own, submission, delivery.progress);
    await endSubmission(own, submission, {
      status: progress.errors > 0 ? 'Error' : 'Complete',
      progress,
      message: null,
    });
  });
}

/**
 * Logs the alerts of the call that are about no single record, such as workflows that a closed case has canceled.
 * ImportResults has no element for alerts, and is the same when it is read again.
 */
async function logAlerts(
  ctx: Context,
  own: Context,
  submission: Submission,
  progress: SubmissionProgress,
): Promise<SubmissionProgress> {
  const results = ctx.takeAlerts().map(({ text }): RowResult => ({ ...errorResult(text, 'None'), status: 'Warning' }));
  return results.length === 0
    ? progress
    : submissionProgress(submission, undefined).record(own, { done: progress.done, results }, progress);
}

/** Logs errors of the whole document and ends the submission; nothing of the document is saved. */
async function endWithoutItems(
  ctx: Context,
  submission: Submission,
  status: string,
  errors: readonly RowResult[],
): Promise<void> {
  await ctx.inTransaction(async (own) => {
    const progress = await submissionProgress(submission, undefined).record(
      own,
      { done: 0, results: errors },
      noProgress,
    );
    await endSubmission(own, submission, { status, progress, message: errors[0]?.message ?? null });
  });
}

/** How a submission ends. */
interface SubmissionEnd {
  readonly status: string;
  readonly progress: SubmissionProgress;
  readonly message: string | null;
}

async function endSubmission(
  own: Context,
  { importFileId }: Submission,
  { status, progress, message }: SubmissionEnd,
): Promise<void> {
  await updateRow(own, own.registry.recordType('ImportFile'), importFileId, {
    Status: status,
    SuccessCount: progress.success,
    ErrorCount: progress.errors,
    Warnings: progress.warnings + progress.otherWarnings,
    ImportComplete: own.clock.now(),
    Message: message?.slice(0, MESSAGE_CHARACTERS_MAX) ?? null,
    // The import is listed on its first case.
    ...(progress.firstCase && { Object: progress.firstCase.object, ObjectID: progress.firstCase.objectId }),
  });
}

/**
 * Logs an unknown import type as a failed submission, so that the sender gets an ID to query, and returns the import
 * file's id.
 */
export async function rejectUnknownImportType(ctx: Context, name: string): Promise<number> {
  const submission = await createSubmission(ctx, {
    referral: name.slice(0, 100),
    start: ctx.clock.now(),
    fileName: undefined,
    reference: null,
    document: undefined,
  });
  await endWithoutItems(ctx, submission, 'Error', [errorResult('Unrecognized Template', 'None')]);
  return submission.importFileId;
}
