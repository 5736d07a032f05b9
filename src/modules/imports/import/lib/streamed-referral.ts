import { Readable } from 'node:stream';
import type { Context } from '../../../../kernel/door/context.ts';
import { isRetryable } from '../../../../kernel/database/database-error.ts';
import type { StagedDocument } from '../../../../kernel/ports/documents.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { insertRow } from '../../../../kernel/records/save/insert-row.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import type { XmlElement } from '../../../../kernel/xml/element.ts';
import type { SchemaIssue } from '../../../../kernel/xml/schema-issue.ts';
import { investorName, referralMegabytesMax } from '../settings.ts';
import { failInterruptedRun } from './interrupted-runs.ts';
import { failedItemRow, importItem, submissionItems } from './import-item.ts';
import { ItemLog, MESSAGE_CHARACTERS_MAX, referenceOf, writeLog, type LogRow } from './item-log.ts';
import { readReferral, type ReadReferral } from './read-referral.ts';
import { caseKinds, referralFacts, type ReferralOperation } from './referral-schemas.ts';
import { tee } from './tee.ts';

/** Attempts of one item when the database asks to run its transaction again. */
const ATTEMPTS_MAX = 4;

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
 * saves each item in a transaction of its own. Returns the id of the import file, which holds the source and the
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
      return importItems(ctx, run, referral, root, new Map(read.lifted.map((l) => [l.token, l.value])));
    });
    return run.importFileId;
  } finally {
    // What was kept has a second path by now.
    for (const file of staged)
      await ctx.documents
        .discard(file.token)
        .catch(() => ctx.log.warn('a staged file was not removed', { correlationId: ctx.correlationId }));
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
  const kept = ctx.documents
    .stage(source.copy, { fileName: `${referral}.xml`, sealed: true })
    .then((file) => (staged.push(file), file));
  kept.catch(() => undefined);
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
    return { read, document: await kept };
  } catch (error) {
    source.abandon();
    await kept.catch(() => undefined);
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
  const most = ctx.settings.get(referralMegabytesMax) * 1024 * 1024;
  let length = 0;
  // Leaving the loop would destroy the stream, and with it the connection that the refusal must travel on.
  const source =
    body.bytes instanceof Readable
      ? (body.bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>)
      : body.bytes;
  for await (const piece of source) {
    length += piece.length;
    if (length > most)
      throw new PlatformError('TOO_LARGE', {
        message: `The submission is larger than ${ctx.settings.get(referralMegabytesMax)} megabytes.`,
      });
    yield piece;
  }
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

/** Creates the import file, with its source as a document on it, in a transaction of its own. */
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
  const told = issues
    .slice(0, ISSUES_LOGGED_MAX)
    .map((issue) =>
      errorRow(
        issue.path === '' && (issue.line === 0 || issue.message.startsWith('Line '))
          ? issue.message
          : `Line ${issue.line}${issue.path === '' ? '' : `, ${issue.path}`}: ${issue.message}`,
      ),
    );
  return issues.length > ISSUES_LOGGED_MAX ? [...told, errorRow(`${issues.length - ISSUES_LOGGED_MAX} more.`)] : told;
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
    await endRun(
      own,
      run,
      'Validation Error',
      { success: 0, warnings: 0, errors: rows.length, logged: rows.length, firstCase: undefined },
      rows[0]?.message ?? null,
    );
  });
}

async function importItems(
  ctx: Context,
  run: SubmissionRun,
  referral: ReferralOperation,
  root: XmlElement,
  files: ReadonlyMap<string, StagedDocument>,
): Promise<void> {
  const counts: RunCounts = { success: 0, warnings: 0, errors: 0, logged: 0, firstCase: undefined };
  for (const [n, item] of submissionItems(referral, root).entries())
    await saveItem(ctx, run, { referral, item, number: n + 1, files }, counts);
  await ctx.inTransaction((own) => endRun(own, run, counts.errors > 0 ? 'Error' : 'Complete', counts, null));
}

interface NumberedItem {
  readonly referral: ReferralOperation;
  readonly item: XmlElement;
  readonly number: number;
  readonly files: ReadonlyMap<string, StagedDocument>;
}

/**
 * Saves one item with its log in one transaction. A failed item is rolled back and logged in a transaction of its own.
 */
async function saveItem(
  ctx: Context,
  run: SubmissionRun,
  { referral, item, number, files }: NumberedItem,
  counts: RunCounts,
): Promise<void> {
  const place = { ...run, sequence: counts.logged, item: number };
  for (let attempt = 1; ; attempt++) {
    const log = new ItemLog(item, ctx);
    try {
      await ctx.inTransaction(async (own) => {
        await importItem(own, referral, item, files, log);
        await writeLog(own, place, log.rows);
      });
      addToCounts(counts, log.rows, referral);
      return;
    } catch (error) {
      if (isRetryable(error) && attempt < ATTEMPTS_MAX) continue;
      const rows = [failedItemRow(ctx, referral, item, error)];
      await ctx.inTransaction((own) => writeLog(own, place, rows));
      addToCounts(counts, rows, referral);
      return;
    }
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

async function endRun(
  ctx: Context,
  run: SubmissionRun,
  status: string,
  counts: RunCounts,
  message: string | null,
): Promise<void> {
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
    await endRun(
      own,
      run,
      'Error',
      { success: 0, warnings: 0, errors: 1, logged: 1, firstCase: undefined },
      'Unrecognized Template',
    );
  });
  return run.importFileId;
}
