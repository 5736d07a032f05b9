import type { Context } from '../../../../kernel/door/context.ts';
import type { StagedDocument } from '../../../../kernel/ports/documents.ts';
import { insertRow } from '../../../../kernel/records/save/insert-row.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import type { XmlElement } from '../../../../kernel/xml/element.ts';
import type { SchemaIssue } from '../../../../kernel/xml/schema-issue.ts';
import { investorName, referralMegabytesMax } from '../settings.ts';
import { failInterruptedRun } from './interrupted-runs.ts';
import { withoutDestroying } from '../../../../kernel/parameters/body-parameters.ts';
import { discardStaged } from '../../lib/discard-staged.ts';
import { limitMegabytes } from '../../lib/limit-bytes.ts';
import { retryConflicts } from '../../lib/retry-conflicts.ts';
import { failedItemRow, importItem, submissionItems, type NumberedItem } from './import-item.ts';
import { ItemLog, MESSAGE_CHARACTERS_MAX, referenceOf, writeLog, type LogRow } from './item-log.ts';
import { readReferral, type ReadReferral } from './read-referral.ts';
import { caseKinds, referralFacts, type ReferralOperation } from './referral-schemas.ts';
import { tee } from './tee.ts';

/** Most issues of an invalid document that are logged one by one. */
const ISSUES_LOGGED_MAX = 100;

interface SubmissionRun {
  readonly importFileId: number;
  readonly organizationId: number | null;
  readonly personId: number;
}

interface RunCounts {
  success: number;
  warnings: number;
  errors: number;
  logged: number;
  /** Log row of the run's first case. */
  firstCase: LogRow | undefined;
}

/**
 * Imports one referral document while it streams in: stores the source and attached files, validates the document, then
 * saves each item in its own transaction. Returns the id of the import file, which holds the source and the
 * results.
 */
export async function importStreamedReferral(
  ctx: Context,
  referral: ReferralOperation,
  fileName: string | undefined,
): Promise<number> {
  const start = ctx.clock.now();
  const staged: StagedDocument[] = [];
  try {
    const { read, document } = await readBody(ctx, referral, staged);
    const { root } = read;
    const run = await beginRun(ctx, {
      referral,
      start,
      fileName,
      reference: root ? referenceOf(root) : null,
      document,
    });
    await failingRunOnError(ctx, run, async () => {
      if (!root) return endAsInvalid(ctx, run, issueRows(read.issues, ctx.body?.mime ?? ''));
      return importItems(ctx, run, numberedItems(referral, root, read));
    });
    return run.importFileId;
  } finally {
    await discardStaged(ctx, staged);
  }
}

/** Reads the document while it streams in. Adds every stored file to `staged`, also when this throws. */
async function readBody(
  ctx: Context,
  referral: ReferralOperation,
  staged: StagedDocument[],
): Promise<{ readonly read: ReadReferral<StagedDocument>; readonly document: StagedDocument }> {
  const source = tee(limitedBody(ctx));
  // The source is stored from the first byte on; reading the document drives both.
  const storedRows = ctx.documents
    .stage(source.copy, { fileName: `${referral}.xml`, sealed: true })
    .then((file) => (staged.push(file), file));
  storedRows.catch(() => undefined);
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
    return { read, document: await storedRows };
  } catch (error) {
    source.abandon();
    await storedRows.catch(() => undefined);
    throw error;
  }
}

/**
 * Ends the run as failed if `work` throws, for instance when the database is lost, so that it does not stay Importing.
 */
async function failingRunOnError(ctx: Context, run: SubmissionRun, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await failInterruptedRun(ctx.inTransaction.bind(ctx), run.importFileId, ctx.clock.now()).catch(() => undefined);
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

interface RunStart {
  readonly referral: string;
  readonly start: string;
  readonly fileName: string | undefined;
  readonly reference: string | null;
  readonly document: StagedDocument | undefined;
}

/** Creates the import file, with its source as a document on it, in a separate transaction. */
async function beginRun(ctx: Context, beginning: RunStart): Promise<SubmissionRun> {
  const organizationId = ctx.user.universal ? null : ctx.user.organizationId;
  return ctx.inTransaction(async (own) => {
    const record = own.registry.requireRecord('ImportFile', 'ImportFile');
    const [template] = await own.db.query<{ id: number }>(
      'select importfiletemplateid as id from importfiletemplate where importfiletemplate = $1::text',
      [beginning.referral],
    );
    const values = new Map<string, unknown>([
      ['importfile', beginning.fileName ?? beginning.referral],
      ['status', 'Importing'],
      ['organizationid', organizationId],
      ['reference', beginning.reference],
      ['importstart', beginning.start],
      ['importfiletemplateid', template?.id ?? null],
      ['successcount', 0],
      ['errorcount', 0],
      ['warnings', 0],
    ]);
    const row = await insertRow(own, record, values);
    const importFileId = Number(row['ImportFileID']);
    own.reached.add(`ImportFile:${importFileId}`);
    if (beginning.document) {
      const saved = await own.call('attachment/save', {
        Object: 'ImportFile',
        ObjectID: importFileId,
        FileName: `${beginning.referral}-${importFileId}.xml`,
        Staged: beginning.document.token,
      });
      await updateRow(own, record, importFileId, new Map([['pretransformid', saved.row['AttachmentID']]]));
    }
    return { importFileId, organizationId, personId: ctx.user.personId };
  });
}

function issueRows(issues: readonly SchemaIssue[], mime: string): LogRow[] {
  if (isForm(mime)) return [errorRow('Content-Type: expected text/xml with the XML document as the body; got a form.')];
  const reported = issues
    .slice(0, ISSUES_LOGGED_MAX)
    .map((issue) =>
      errorRow(
        issue.path === '' && (issue.line === 0 || issue.message.startsWith('Line '))
          ? issue.message
          : `Line ${issue.line}${issue.path === '' ? '' : `, ${issue.path}`}: ${issue.message}`,
      ),
    );
  return issues.length > ISSUES_LOGGED_MAX
    ? [...reported, errorRow(`${issues.length - ISSUES_LOGGED_MAX} more.`)]
    : reported;
}

function errorRow(message: string): LogRow {
  return {
    object: 'ImportFile',
    objectId: null,
    operation: 'Validate',
    status: 'Error',
    reference: null,
    message,
    properties: null,
  };
}

/** Logs the issues of an invalid document; nothing of it is saved. */
async function endAsInvalid(ctx: Context, run: SubmissionRun, rows: readonly LogRow[]): Promise<void> {
  await ctx.inTransaction(async (own) => {
    await writeLog(own, { ...run, sequence: 0, item: null }, rows);
    await endRun(own, run, {
      status: 'Validation Error',
      counts: { success: 0, warnings: 0, errors: rows.length, logged: rows.length, firstCase: undefined },
      message: rows[0]?.message ?? null,
    });
  });
}

function numberedItems(
  referral: ReferralOperation,
  root: XmlElement,
  { lifted }: ReadReferral<StagedDocument>,
): readonly NumberedItem[] {
  const files = new Map(lifted.map(({ token, value }) => [token, value]));
  return submissionItems(referral, root).map((item, n) => ({ referral, number: n + 1, item, files }));
}

async function importItems(ctx: Context, run: SubmissionRun, items: readonly NumberedItem[]): Promise<void> {
  const counts: RunCounts = { success: 0, warnings: 0, errors: 0, logged: 0, firstCase: undefined };
  for (const item of items) await saveItem(ctx, run, item, counts);
  const status = counts.errors > 0 ? 'Error' : 'Complete';
  await ctx.inTransaction((own) => endRun(own, run, { status, counts, message: null }));
}

/**
 * Saves one item with its log in one transaction. A failed item is rolled back and logged in a separate transaction.
 */
async function saveItem(ctx: Context, run: SubmissionRun, numbered: NumberedItem, counts: RunCounts): Promise<void> {
  const position = { ...run, sequence: counts.logged, item: numbered.number };
  const rows = await saveLogged().catch(async (error: unknown) => {
    const failed = [failedItemRow(ctx, numbered, error)];
    await ctx.inTransaction((own) => writeLog(own, position, failed));
    return failed;
  });
  addToCounts(counts, rows, numbered.referral);

  function saveLogged(): Promise<readonly LogRow[]> {
    return retryConflicts(async () => {
      const log = new ItemLog(numbered.item, ctx);
      await ctx.inTransaction(async (own) => {
        await importItem(own, numbered, log);
        await writeLog(own, position, log.rows);
      });
      return log.rows;
    });
  }
}

function addToCounts(counts: RunCounts, rows: readonly LogRow[], referral: ReferralOperation): void {
  const { kind } = referralFacts(referral);
  if (kind !== undefined)
    counts.firstCase ??= rows.find((row) => row.object === caseKinds[kind].record && row.objectId !== null);
  counts.logged += rows.length;
  for (const row of rows) {
    if (row.status === 'Error') counts.errors++;
    else if (row.operation !== 'None') counts.success++;
    if (row.status === 'Warning') counts.warnings++;
  }
}

/** How a run ends. */
interface RunEnd {
  readonly status: string;
  readonly counts: RunCounts;
  readonly message: string | null;
}

async function endRun(ctx: Context, run: SubmissionRun, { status, counts, message }: RunEnd): Promise<void> {
  await updateRow(
    ctx,
    ctx.registry.requireRecord('ImportFile', 'ImportFile'),
    run.importFileId,
    new Map<string, unknown>([
      ['status', status],
      ['successcount', counts.success],
      ['errorcount', counts.errors],
      ['warnings', counts.warnings],
      ['importcomplete', ctx.clock.now()],
      ['message', message?.slice(0, MESSAGE_CHARACTERS_MAX) ?? null],
      // The import is listed on its first case.
      ...(counts.firstCase === undefined
        ? []
        : ([
            ['object', counts.firstCase.object],
            ['objectid', counts.firstCase.objectId],
          ] as const)),
    ]),
  );
}

/**
 * Logs an unknown import type as a failed run, so that the sender gets an ID to query, and returns the import file's
 * id.
 */
export async function rejectUnknownImportType(ctx: Context, name: string): Promise<number> {
  const run = await beginRun(ctx, {
    referral: name.slice(0, 100),
    start: ctx.clock.now(),
    fileName: undefined,
    reference: null,
    document: undefined,
  });
  const row: LogRow = {
    object: 'ImportFile',
    objectId: null,
    operation: 'None',
    status: 'Error',
    reference: null,
    message: 'Unrecognized Template',
    properties: null,
  };
  await ctx.inTransaction(async (own) => {
    await writeLog(own, { ...run, sequence: 0, item: null }, [row]);
    await endRun(own, run, {
      status: 'Error',
      counts: { success: 0, warnings: 0, errors: 1, logged: 1, firstCase: undefined },
      message: 'Unrecognized Template',
    });
  });
  return run.importFileId;
}
