import {
  RowsFailed,
  type ImportEngine,
  type ImportIssue,
  type ImportPreview,
  type ImportRun,
  type ImportSource,
  type ImportTemplate,
  type SourceRow,
} from '../../../../contracts/import-engine.ts';
import type { StagedDocument } from '../../../../kernel/ports/documents.ts';
import { namesHint, PlatformError } from '../../../../kernel/door/errors.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { walkXml, type XmlElement } from '../../../../kernel/xml/element.ts';
import { maskDigits, type SchemaIssue } from '../../../../kernel/xml/schema-issue.ts';
import { referralParts } from './parts/referral-parts.ts';
import { referralCorrections } from './referral-corrections.ts';
import { discardStaged } from '../../../../kernel/documents/discard-staged.ts';
import { submissionItems } from './import-item.ts';
import { referenceOf } from './item-log.ts';
import { importReferralItems, numberedItems } from './referral-items.ts';
import { readReferral, type ReadReferral } from './read-referral.ts';
import {
  referralFacts,
  findReferralOperation,
  referralOperations,
  type ReferralOperation,
  type SchemaSettings,
} from './referral-schemas.ts';

/** Bytes at the start of a document that show whether it can be a submission. */
const HEAD_BYTES = 64 * 1024;

/**
 * Returns the engine for referral documents that are imported from storage: sent asynchronously, watched for, or
 * delivered by file transfer. Streamed submissions take {@link importStreamedReferral} instead.
 */
export function referralEngine(settings: () => SchemaSettings): ImportEngine {
  return {
    doc: 'Referral documents of law firms: cases with their nested records, and stand-alone records on existing cases.',
    startsWorkflows: true,
    options: {
      Operation: "The referral operation of the documents; by default the import type's name.",
    },
    async detect(source, template) {
      const operation = operationOf(template);
      if (operation === undefined || !(await headNamesItem(source, operation))) return false;
      try {
        return (await readWithoutFiles(source, operation, settings())).issues.length === 0;
      } catch (error) {
        if (error instanceof PlatformError) return false;
        throw error;
      }
    },
    async preview(source, template, rowsMax) {
      const operation = requireOperation(template);
      const { tree, issues } = await readWithoutFiles(source, operation, settings());
      const items = tree ? submissionItems(operation, tree) : [];
      if (items.length === 0)
        throw new PlatformError('BAD_XML', {
          message: issues[0]?.message ?? `The document has no ${referralFacts(operation).item}.`,
        });
      return previewOf(items, rowsMax);
    },
    async validate(source, template, issuesMax) {
      const operation = operationOf(template);
      if (operation === undefined) return [{ line: 0, message: unknownOperation(template).message }];
      return (await readWithoutFiles(source, operation, settings())).issues.slice(0, issuesMax).map(issueOf);
    },
    import: (run) => importReferralRun(run, requireOperation(run.template), settings()),
    parts: referralParts({ operationOf: requireOperation, settings, read: readWithoutFiles, bytes: copiedBytes }),
    corrections(source, template, failed) {
      const operation = requireOperation(template);
      return {
        fileName: `${operation}-corrections.xml`,
        mime: 'text/xml',
        bytes: referralCorrections(copiedBytes(source), referralFacts(operation).item, failed),
      };
    },
  };
}

function operationOf(template: ImportTemplate): ReferralOperation | undefined {
  return findReferralOperation(template.options.get('operation') ?? template.name);
}

function unknownOperation(template: ImportTemplate): PlatformError {
  const name = template.options.get('operation') ?? template.name;
  const names = Object.keys(referralOperations);
  return new PlatformError('BAD_PARAMETER', {
    field: 'Operation',
    message: `Operation: no referral operation is named "${name.slice(0, 100)}".` + namesHint(name, names),
  });
}

function requireOperation(template: ImportTemplate): ReferralOperation {
  const operation = operationOf(template);
  if (operation === undefined) throw unknownOperation(template);
  return operation;
}

/**
 * Whether the start of a document names the operation's item. Detection tries many import types, so it must not read
 * the whole file for each.
 */
async function headNamesItem(source: ImportSource, operation: ReferralOperation): Promise<boolean> {
  const parts: Uint8Array[] = [];
  for await (const part of source.part(0, Math.min(source.size, HEAD_BYTES))) parts.push(Buffer.from(part));
  // UTF-16 has a zero byte next to each letter.
  return Buffer.concat(parts)
    .toString('latin1')
    .replaceAll('\0', '')
    .includes(`<${referralFacts(operation).item}`);
}

/** Copies the source's pieces: each is valid only until the next is read, and the document reader looks back. */
async function* copiedBytes(source: ImportSource): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of source.open()) yield Buffer.from(piece);
}

/** Reads a document and discards its attached files. */
function readWithoutFiles(
  source: ImportSource,
  operation: ReferralOperation,
  settings: SchemaSettings,
): Promise<ReadReferral<undefined>> {
  return readReferral(copiedBytes(source), operation, settings, async (_index, bytes) => {
    for await (const _ of bytes);
    return undefined;
  });
}

function issueOf({ line, path, message }: SchemaIssue): ImportIssue {
  return { line, message: path === '' ? message : `${path}: ${message}` };
}

function previewOf(items: readonly XmlElement[], rowsMax: number): ImportPreview {
  const columns = new Set<string>();
  const rows = items.slice(0, rowsMax).map((item, n): SourceRow => {
    const values: Record<string, string> = {};
    walkXml(item, (element, path) => {
      if (element.children.length > 0) return;
      const name = path.split('/').slice(2).join('/');
      if (name === '') return;
      columns.add(name);
      values[name] = previewText(element);
    });
    return { line: n + 1, values };
  });
  return { columns: [...columns], rows, total: items.length };
}

/** Returns an element's text for people: files are named, Social Security numbers masked. */
function previewText({ name, text }: XmlElement): string {
  if (name === 'Content') return '(a file)';
  return name === 'USSSN' ? maskDigits(text.trim(), name) : text.trim();
}

async function importReferralRun(
  run: ImportRun,
  operation: ReferralOperation,
  settings: SchemaSettings,
): Promise<void> {
  const staged: StagedDocument[] = [];
  try {
    const { root, issues, lifted } = await readReferral(
      copiedBytes(run.source),
      operation,
      settings,
      async (_index, bytes) => {
        const file = await run.ctx.documents.stage(bytes, { fileName: 'attachment' });
        staged.push(file);
        return file;
      },
    );
    if (!root)
      throw new PlatformError('BAD_XML', {
        message: issues[0] ? `Line ${issues[0].line}: ${issueOf(issues[0]).message}` : 'The document is not XML.',
      });
    const items = numberedItems(operation, root, lifted);
    await run.expect(items.length);
    if (run.done === 0) await saveReference(run, root);
    // A single failed item makes the run an Error, even if an earlier delivery met it.
    const failed = await importReferralItems(run, items, { importType: run.template.name, isRedelivered: true });
    if (failed > 0)
      throw new RowsFailed(`${failed} of ${items.length} items failed completely or partly. Saved records remain.`);
  } finally {
    await discardStaged(run.ctx, staged);
  }
}

/** Saves the sender's batch number, which is in the document and was not known when the import file was created. */
async function saveReference(run: ImportRun, root: XmlElement): Promise<void> {
  const reference = referenceOf(root);
  if (reference === null) return;
  await run.piece(async (own) => {
    await updateRow(own, own.registry.recordType('ImportFile'), run.importFileId, {
      Reference: reference,
    });
    return { done: 0, results: [] };
  });
}
