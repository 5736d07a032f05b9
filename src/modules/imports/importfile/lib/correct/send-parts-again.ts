import type { DocumentPart, ImportSource, PartChanges } from '../../../../../contracts/import-engine.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { StagedDocument } from '../../../../../kernel/ports/documents.ts';
import { updateRow } from '../../../../../kernel/records/save/update-row.ts';
import { discardStaged } from '../../../../../kernel/documents/discard-staged.ts';
import { createImportFile } from '../create-import-file.ts';
import { queueImport } from '../queue-import.ts';
import { wrongStatus } from '../wrong-status.ts';
import { hasCell, type ChangedCells } from './changed-cells.ts';
import { isProtected, isRefused, refusedParts, type PartImportFile } from './document-parts.ts';
import { selectFailedLines, type FailedLine } from './failed-lines.ts';
import type { Correction } from './correct-rows.ts';
import { insertCorrections } from './stored-corrections.ts';

/** Most parts sent again by one call. */
const PARTS_MAX = 10_000;
/** Most issues of a corrected document that are named. */
const ISSUES_NAMED_MAX = 5;

/**
 * Sends failed parts of a document again, with new values, as an import of its own that names the one it corrects, and
 * queues it as the user who sent the file. A refused document is sent again as a whole. Returns the new import's id and
 * the number of parts.
 * @throws STATE_REFUSES, BAD_PARAMETER, also if the corrected document is still unacceptable; then nothing is stored
 */
export async function sendPartsAgain(
  ctx: Context,
  file: PartImportFile,
  correction: Correction,
): Promise<{ readonly id: number; readonly count: number }> {
  assertCanSend(file, correction);
  const failed = isRefused(file) ? await refusedLines(file, correction) : await failedLines(ctx, file, correction);
  const changes = await partChanges(file, failed, correction);
  const rows = isRefused(file) ? changes.all : failed.filter(({ line }) => changes.values.has(line));
  if (changes.values.size === 0)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Changes',
      message: 'Changes: none of these parts has such a value. Only failed parts can be corrected.',
    });
  const lines = isRefused(file) ? undefined : new Set(rows.map(({ line }) => line));
  const document = file.engine.parts.write(file.source, file.template, { lines, values: changes.values });
  await assertAcceptable(file, document);
  const staged = await ctx.documents.stage(document.open(), { fileName: document.fileName, sealed: true });
  try {
    const id = await ctx.inTransaction((own) =>
      storeAgain(own, file, { correction, rows, document: { fileName: document.fileName, staged } }),
    );
    return { id, count: rows.length };
  } finally {
    await discardStaged(ctx, [staged]);
  }
}

function assertCanSend(file: PartImportFile, { hasEnded, lines, message, remember }: Correction): void {
  if (!hasEnded) throw wrongStatus('wait until the import has ended.', file.status);
  if (remember)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Remember',
      message: `Remember: ${file.template.engine} imports do not translate values.`,
    });
  if (lines === undefined && message === undefined && !isRefused(file))
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Line',
      message: 'Line is required: the parts to correct. Or send Message for all parts that failed for one reason.',
    });
}

async function failedLines(
  ctx: Context,
  file: PartImportFile,
  { lines, message }: Correction,
): Promise<readonly FailedLine[]> {
  const failed = await selectFailedLines(ctx, file.importFileId, { lines, message, most: PARTS_MAX });
  const found = new Set(failed.map(({ line }) => line));
  const missing = (lines ?? []).find((line) => !found.has(line));
  if (missing !== undefined)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Line',
      message: `Line: part ${missing} did not fail, or has been sent again. Only failed parts can be corrected.`,
    });
  return failed;
}

async function refusedLines(file: PartImportFile, { lines, message }: Correction): Promise<readonly FailedLine[]> {
  const { parts, around } = await refusedParts(file);
  if (around[0])
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: ${around[0].message} This cannot be corrected here; the sender must send the document again.`,
    });
  return parts.filter(
    (part) => (!lines || lines.includes(part.line)) && (message === undefined || part.message === message),
  );
}

/** The new values, and every part of a document that is sent as a whole. */
interface FoundChanges extends Pick<PartChanges, 'values'> {
  readonly all: readonly FailedLine[];
}

/**
 * Returns the new values by part. A column may name its part (`2/Loan/UPBAmount`, where no lines are named); else all
 * named parts get the value.
 */
async function partChanges(
  file: PartImportFile,
  failed: readonly FailedLine[],
  correction: Correction,
): Promise<FoundChanges> {
  const byLine = new Map(failed.map((row) => [row.line, row]));
  const isWhole = isRefused(file);
  const values = new Map<number, ChangedCells>();
  const all: FailedLine[] = [];
  const known = new Set<string>();
  const read = file.engine.parts.read(file.source, file.template, isWhole ? undefined : new Set(byLine.keys()));
  for await (const part of read) {
    all.push(byLine.get(part.line) ?? wholeLine(part.line));
    const changed = changesOf(part, correction, byLine.has(part.line), known);
    if (Object.keys(changed).length > 0) values.set(part.line, changed);
  }
  const unknown = Object.keys(correction.changes).find((name) => !known.has(name));
  if (all.length > PARTS_MAX)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message:
        `ID: the document has more than ${PARTS_MAX} parts and cannot be corrected here; ` +
        'the sender must send it again.',
    });
  if (unknown !== undefined && correction.from === undefined)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Changes',
      message: `Changes: none of these parts has a "${unknown.slice(0, 200)}".`,
    });
  return { values, all };
}

const wholeLine = (line: number): FailedLine => ({
  importLogId: null,
  line,
  label: `Item ${line}`,
  message: 'Sent again with the others: nothing of the document was imported.',
  column: null,
});

function changesOf(
  part: DocumentPart,
  { changes, from, lines }: Correction,
  isFailed: boolean,
  known: Set<string>,
): ChangedCells {
  const columns = new Set([...Object.keys(part.values), ...part.absent]);
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(changes)) {
    const ofPart = lines === undefined ? /^(\d+)\/(.*)$/s.exec(name) : null;
    const column = ofPart ? (ofPart[2] ?? '') : name;
    const isMeant = ofPart ? Number(ofPart[1]) === part.line : isFailed;
    if (!isMeant || !columns.has(column)) continue;
    known.add(name);
    if (from !== undefined && !hasCell(part, column, from)) continue;
    assertWholeNumber(column, value);
    found[column] = value;
  }
  return found;
}

/** A number as it is masked in any column. */
const MASKED = /X{5}\d{4}|X{3}-X{2}-\d{4}/;

/** Refuses a masked number, which somebody has edited instead of typing it whole. */
function assertWholeNumber(column: string, value: string): void {
  if (MASKED.test(value) || (isProtected(column) && /[*X]/i.test(value)))
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Changes',
      message: `Changes: ${column} is masked here; enter the whole number.`,
    });
}

type WrittenDocument = ReturnType<PartImportFile['engine']['parts']['write']>;

/** @throws BAD_PARAMETER naming what is still wrong with the corrected document */
async function assertAcceptable({ engine, template }: PartImportFile, document: WrittenDocument): Promise<void> {
  const issues = await engine.validate(sourceOf(document), template, ISSUES_NAMED_MAX);
  if (issues.length === 0) return;
  throw new PlatformError('BAD_PARAMETER', {
    field: 'Changes',
    message: `Changes: not sent; it would be refused again. ${issues.map(({ message }) => message).join(' ')}`,
  });
}

function sourceOf(document: WrittenDocument): ImportSource {
  return {
    fileName: document.fileName,
    size: 0,
    open: () => document.open(),
    async *part(start, end) {
      let at = 0;
      for await (const piece of document.open()) {
        const from = Math.max(start - at, 0);
        const to = Math.min(end - at, piece.length);
        if (from < to) yield piece.subarray(from, to);
        at += piece.length;
        if (at >= end) return;
      }
    },
  };
}

/** Stores the corrected document as an import, with its corrections, and queues it. Returns its id. */
async function storeAgain(
  own: Context,
  file: PartImportFile,
  {
    correction,
    rows,
    document,
  }: {
    readonly correction: Correction;
    readonly rows: readonly FailedLine[];
    readonly document: { readonly fileName: string; readonly staged: StagedDocument };
  },
): Promise<number> {
  const sender = own.user.universal && file.organizationId !== null ? await senderOf(own, file, correction) : null;
  const personId = sender ?? own.user.personId;
  const id = await createImportFile(own, {
    template: file.template,
    fileName: document.fileName,
    document: document.staged,
    status: 'New',
    organizationId: file.organizationId,
    correctsId: file.importFileId,
  });
  const inserted = await insertCorrections(own, {
    importFileId: file.importFileId,
    organizationId: file.organizationId,
    actorPersonId: personId,
    rows,
    changes: correction.changes,
    sentImportFileId: id,
  });
  if (inserted.length < rows.length)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Line',
      message: 'Line: somebody else has just sent this again; reload the page to see it. Nothing was sent twice.',
    });
  const left = isRefused(file) ? [] : await selectFailedLines(own, file.importFileId, { most: 1 });
  if (left.length === 0)
    await updateRow(own, own.registry.recordType('ImportFile'), file.importFileId, { ResentDate: own.clock.now() });
  await queueImport(own, file.template, id, { personId });
  return id;
}

/** Returns who sent a file: of one that corrects another, the user as whom it ran, not the person who corrected it. */
async function senderOf(own: Context, file: PartImportFile, { senderId }: Correction): Promise<number | null> {
  const [sent] = await own.transaction().elevated((db) =>
    db.query<{ id: number | null }>(
      `select c.actorpersonid as id from importfile f join importcorrection c
           on c.importfileid = f.correctsid and c.sentimportfileid = f.importfileid
         where f.importfileid = $1::bigint limit 1`,
      [file.importFileId],
    ),
  );
  return sent?.id ?? senderId;
}
