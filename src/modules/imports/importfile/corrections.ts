import type { Context } from '../../../kernel/door/context.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { openImportFile } from './lib/open-import-file.ts';
import { wrongStatus } from './lib/wrong-status.ts';

/** Failed rows read at once. */
const PAGE_ROWS = 1_000;

export const operation = defineOperation({
  module: 'importfile',
  name: 'Corrections',
  method: 'GET',
  summary:
    'Returns the failed rows of an import as a file of the same format, each with its reason, to be ' +
    'corrected and sent again. Rows contain the values as sent, so this requires the permission UnmaskSSN, ' +
    "unless the caller or the caller's own firm sent the file.",
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The import file.' })) },
  returns: 'content',
  errors: ['NOT_FOUND', 'NO_PERMISSION', 'STATE_REFUSES'],
  source: 'decisions, Imports',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const stored = namedRow(ctx, ctx.record);
  const file = await openImportFile(ctx, stored);
  await assertMayReadCorrections(ctx, ID, { organizationId: file.organizationId, personId: stored.CreatedPersonID });
  if (file.status === 'Validation Error')
    throw wrongStatus('nothing was imported; correct the whole file and send it again.', file.status);
  const [any] = await ctx.db.query(
    "select 1 from importlog where importfileid = $1::bigint and status = 'Error' and sourceline > 0 limit 1",
    [ID],
  );
  if (!any)
    throw new PlatformError('NOT_FOUND', {
      field: 'ID',
      message: 'ID: no row of this import failed; there is nothing to correct.',
    });
  const { fileName, mime, bytes } = file.engine.corrections(file.source, file.template, failedRows(ctx, ID));
  return { kind: 'content', mime, fileName, disposition: 'attachment', bytes };
});

/** Who sent a file. */
interface Sender {
  readonly organizationId: number | null;
  readonly personId: unknown;
}

/**
 * Allows the firm and the user who sent the file, who know its content, and users with UnmaskSSN. What users with
 * universal access download is logged.
 * @throws NO_PERMISSION
 */
async function assertMayReadCorrections(
  ctx: Context,
  importFileId: number,
  { organizationId, personId }: Sender,
): Promise<void> {
  if (!ctx.user.universal && organizationId !== null && organizationId === ctx.user.organizationId) return;
  if (personId !== ctx.user.personId && !ctx.user.permissions.has('UnmaskSSN'))
    throw new PlatformError('NO_PERMISSION', {
      message:
        `Import file ${importFileId} contains values as sent, including protected numbers; this requires the ` +
        'permission UnmaskSSN.',
    });
  await ctx.security({ event: 'CorrectionsDownloaded', object: 'ImportFile', objectId: importFileId });
}

/** Yields each failed line once, in source order, with all its messages. */
async function* failedRows(
  ctx: Context,
  importFileId: number,
): AsyncIterable<{ readonly line: number; readonly reason: string }> {
  for (let after = 0; ;) {
    const rows = await ctx.db.query<{ line: number; reason: string }>(
      `select sourceline as line, string_agg(distinct coalesce(message, 'It failed.'), ' ') as reason from importlog
       where importfileid = $1::bigint and status = 'Error' and sourceline > $2::integer group by sourceline
       order by sourceline limit ${PAGE_ROWS}`,
      [importFileId, after],
    );
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_ROWS) return;
    after = last.line;
  }
}
