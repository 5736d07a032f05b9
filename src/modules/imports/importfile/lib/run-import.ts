import { RowsFailed, type ImportIssue } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { isRetryable } from '../../../../kernel/database/database-error.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { callSignature } from '../../../../kernel/door/signature.ts';
import { toText } from '../../lib/to-text.ts';
import { endRun, refuseDocument, type RunOutcome } from '../../lib/run/end-run.ts';
import type { OpenImportFile } from './open-import-file.ts';
import { RunEnded } from '../../lib/run/run-delivery.ts';
import { GIVEN_UP_MESSAGE, takeOverRun } from '../../lib/run/stored-progress.ts';
import { StoredRun } from './stored-run.ts';

/** Most issues of a rejected document that are logged. */
const ISSUES_LOGGED_MAX = 100;

/** Statuses in which a file can be imported. */
const IMPORTABLE_STATUSES = new Set(['New', 'Queued', 'Importing']);

/**
 * Imports a file from its current position to its end, or resumes an interrupted run. Returns whether there was
 * anything to do: a file that is complete, stopped or canceled is left unchanged.
 * @throws unexpected errors, such as a lost database; the run resumes with the next delivery
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
        `update importfile set status = 'Importing', importstart = coalesce(importstart, $2::timestamptz), updateddate
          = $2::timestamptz, updatedpersonid = $3::bigint, version = version + 1 where importfileid = $1::bigint`,
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
  else if (ending !== 'superseded' && ending !== 'handed-off')
    await ctx.inTransaction((own) => endRun(own, file, ending));
  return ending !== 'superseded';
}

async function runEngine(
  ctx: Context,
  file: OpenImportFile,
  run: StoredRun,
): Promise<RunOutcome | 'stopped' | 'superseded' | 'handed-off'> {
  try {
    await file.engine.import(run);
    return run.isHandedOff ? 'handed-off' : { kind: 'completed' };
  } catch (error) {
    if (error instanceof RunEnded) return error.reason === 'threshold' ? { kind: 'threshold' } : error.reason;
    // The document cannot be read further. Any other error is retried.
    if (error instanceof PlatformError && error.status < 500 && !isRetryable(error))
      return { kind: 'failed', message: error.message, isLogged: error instanceof RowsFailed };
    ctx.log.warn('an import was cut off', { correlationId: ctx.correlationId, importFileId: file.importFileId });
    throw error;
  }
}

/** Marks a file as stopped, with the counts so far; it can be resumed. The caller has checked its reach. */
export async function markStopped(own: Context, importFileId: number): Promise<void> {
  await own.transaction().elevated((db) =>
    db.query(
      `update importfile f set status = 'Stopped', successcount = coalesce(r.success, f.successcount), warnings =
         coalesce(r.warnings, f.warnings), errorcount = coalesce(r.errors, f.errorcount), message = $4::text,
         updateddate = $2::timestamptz, updatedpersonid = $3::bigint, version = f.version + 1
       from importfile g left join importrun r on r.importfileid = g.importfileid
       where f.importfileid = $1::bigint and g.importfileid = f.importfileid
         and f.status in ('New', 'Queued', 'Importing')`,
      [importFileId, own.clock.now(), own.user.personId, STOPPED_MESSAGE],
    ),
  );
}

const STOPPED_MESSAGE = 'The import was stopped. Saved records remain; importfile/resume continues after them.';

/**
 * Validates a document as a whole: by its engine, then by the import type's ValidateStatement. Logs the issues of an
 * invalid document, of which nothing is imported. Returns whether it may be imported.
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
      message: 'ValidateStatement: expected a statement that returns a list; each row is an issue.',
    });
  return answer.rows.slice(0, ISSUES_LOGGED_MAX).map((row) => issueOfRow(row as Readonly<Record<string, unknown>>));
}

/** Converts a row of the ValidateStatement to an issue: its columns Message and Line, else all its values. */
function issueOfRow(row: Readonly<Record<string, unknown>>): ImportIssue {
  const of = (requested: string): unknown =>
    Object.entries(row).find(([name]) => name.toLowerCase() === requested)?.[1];
  const message = of('message');
  return {
    line: Number(of('line') ?? 0) || 0,
    message: message === null || message === undefined ? rowText(row) : toText(message),
  };
}

function rowText(row: Readonly<Record<string, unknown>>): string {
  return Object.entries(row)
    .filter(([name]) => !name.startsWith('RecordCount'))
    .map(([name, value]) => `${name} ${value === null ? 'null' : toText(value)}`)
    .join(', ');
}
