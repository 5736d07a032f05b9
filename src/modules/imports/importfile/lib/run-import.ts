import type { ImportIssue } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { isRetryable } from '../../../../kernel/database/database-error.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { callSignature } from '../../../../kernel/door/signature.ts';
import { endRun, refuseDocument, type RunOutcome } from './end-run.ts';
import type { OpenImportFile } from './open-import-file.ts';
import { GIVEN_UP_MESSAGE, RunEnded, StoredRun, takeOverRun } from './stored-run.ts';

/** The most issues of a refused document that are told. */
const ISSUES_LOGGED_MAX = 100;

/** Statuses after which a file is not imported any more. */
const IMPORTABLE_STATUSES = new Set(['New', 'Queued', 'Importing']);

/**
 * Imports a file from where it stands to its end, or goes on with a run that was cut off. Answers whether there was anything to
 * do: a file that is complete, stopped or canceled is left as it is.
 * @throws what nobody foresaw, such as a lost database: the run then goes on with the next delivery
 */
export async function runImport(ctx: Context, file: OpenImportFile): Promise<boolean> {
  const { importFileId, template } = file;
  const taken = await ctx.inTransaction(async (own) => {
    const [row] = await own.db.query<{ status: string }>(
      'select status from importfile where importfileid = $1::bigint for update',
      [importFileId],
    );
    if (!IMPORTABLE_STATUSES.has(row?.status ?? '')) return undefined;
    if (row?.status !== 'Importing') {
      await own.db.query(
        `update importfile set status = 'Importing', importstart = coalesce(importstart, $2::timestamptz), updateddate = $2::timestamptz, updatedpersonid = $3::bigint, version = version + 1 where importfileid = $1::bigint`,
        [importFileId, own.clock.now(), own.user.personId],
      );
    }
    const run = await takeOverRun(own, importFileId);
    if (!run) await endRun(own, file, { kind: 'failed', message: GIVEN_UP_MESSAGE });
    return run;
  });
  if (!taken) return false;
  const ending = await runEngine(
    ctx,
    file,
    new StoredRun({
      ctx,
      importFileId,
      organizationId: file.organizationId,
      template,
      source: file.source,
      row: taken,
    }),
  );
  if (ending === 'stopped') await ctx.inTransaction((own) => markStopped(own, importFileId));
  else if (ending !== 'taken over' && ending !== 'goes on elsewhere')
    await ctx.inTransaction((own) => endRun(own, file, ending));
  return ending !== 'taken over';
}

async function runEngine(
  ctx: Context,
  file: OpenImportFile,
  run: StoredRun,
): Promise<RunOutcome | 'stopped' | 'taken over' | 'goes on elsewhere'> {
  try {
    await file.engine.import(run);
    return run.isHandedOff ? 'goes on elsewhere' : { kind: 'read to its end' };
  } catch (error) {
    if (error instanceof RunEnded) return error.reason === 'threshold' ? { kind: 'threshold' } : error.reason;
    // A document that cannot be read further; anything else is tried again.
    if (error instanceof PlatformError && error.status < 500 && !isRetryable(error))
      return { kind: 'failed', message: error.message };
    ctx.log.warn('an import was cut off', { correlationId: ctx.correlationId, importFileId: file.importFileId });
    throw error;
  }
}

/** A run that was told to stop waits to be resumed. */
export async function markStopped(own: Context, importFileId: number): Promise<void> {
  await own.db.query(
    `update importfile set status = 'Stopped', updateddate = $2::timestamptz, updatedpersonid = $3::bigint, version = version + 1 where importfileid = $1::bigint and status in ('New', 'Queued', 'Importing')`,
    [importFileId, own.clock.now(), own.user.personId],
  );
}

/**
 * What makes the document as a whole unacceptable: what its engine says, then the rows that the template's ValidateStatement answers.
 * A refused document is told and nothing of it is imported. Answers whether it may be imported.
 */
export async function validateImportFile(ctx: Context, file: OpenImportFile): Promise<boolean> {
  const issues = await documentIssues(ctx, file);
  if (issues.length === 0) return true;
  await ctx.inTransaction((own) => refuseDocument(own, file.importFileId, file.organizationId, issues));
  return false;
}

async function documentIssues(
  ctx: Context,
  { engine, source, template, importFileId }: OpenImportFile,
): Promise<readonly ImportIssue[]> {
  if (!template.validates) return [];
  const found = await engine.validate(source, template, ISSUES_LOGGED_MAX).catch((error: unknown) => {
    if (error instanceof PlatformError && error.status < 500) return [{ line: 0, message: error.message }];
    throw error;
  });
  if (found.length > 0 || template.validateStatement === undefined) return found;
  const answer = await callSignature(ctx, template.validateStatement, { field: 'ValidateStatement' }, (name) =>
    name.toLowerCase() === 'importfileid' ? importFileId : undefined,
  );
  if (answer.kind !== 'list')
    throw new PlatformError('STATE_REFUSES', {
      field: 'ValidateStatement',
      message: 'ValidateStatement: expected a statement that answers a list, each row an objection.',
    });
  return answer.rows.slice(0, ISSUES_LOGGED_MAX).map((row) => issueOfRow(row as Readonly<Record<string, unknown>>));
}

/** A row of the ValidateStatement: its columns Message and Line, else all that it says. */
function issueOfRow(row: Readonly<Record<string, unknown>>): ImportIssue {
  const of = (wanted: string): unknown => Object.entries(row).find(([name]) => name.toLowerCase() === wanted)?.[1];
  const message = of('message');
  return {
    line: Number(of('line') ?? 0) || 0,
    message: String(
      message ??
        Object.entries(row)
          .filter(([name]) => !name.startsWith('RecordCount'))
          .map(([name, value]) => `${name} ${String(value)}`)
          .join(', '),
    ),
  };
}
