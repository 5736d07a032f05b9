import type { ImportIssue, ImportSource, ImportTemplate } from '../../../contracts/import-engine.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { escapeAttribute, writeXml } from '../../../kernel/xml/element.ts';
import { compileSchema, type CompiledSchema } from '../../../kernel/xml/schema.ts';
import { fitsTemplate } from '../../../lib/readers/columns.ts';
import { headOf } from '../../../lib/readers/encoding.ts';
import { correctionsFileName, followFailed, oneLine, type FailedLine } from '../../../lib/readers/failed-lines.ts';
import { formatCount } from '../../../lib/readers/limits.ts';
import { countRows, firstRows, rowEngine, type RowDocument } from '../../../lib/readers/row-document.ts';
import { rootName, rowNames, xmlItems, xmlOptions, xmlRows, type XmlWrapper } from '../../../lib/readers/xml.ts';

/** Reads XML whose items are records. */
export const xmlEngine = rowEngine({
  doc: 'XML in which each {Class}Item is a record, with linked records and collections of children.',
  options: xmlOptions,
  async open(source, template) {
    const root = await rootName(source);
    return { columns: undefined, root, rows: () => xmlRows(source, rowNames(template)) } as XmlDocument;
  },
  fits: fitsXml,
  validate: validateXml,
  corrections: (source, template, failed) => ({
    fileName: correctionsFileName(source.fileName, ['xml']),
    mime: 'text/xml',
    bytes: correctedBytes(source, template, failed),
  }),
});

interface XmlDocument extends RowDocument {
  readonly root: string;
}

async function fitsXml(document: RowDocument, template: ImportTemplate): Promise<boolean> {
  const [first] = await firstRows(document, 1);
  if (first) return first.problem === undefined && fitsTemplate(template, Object.keys(first.values));
  const { expected } = rowNames(template);
  return (
    expected === undefined ||
    (document as XmlDocument).root.toLowerCase() === expected.replace(/Item$/, 'Collection').toLowerCase()
  );
}

/** Largest document validated against a schema, which is read as a whole and takes five times its size. */
const SCHEMA_BYTES_MAX = 16 * 1024 * 1024;

async function validateXml(
  document: RowDocument,
  source: ImportSource,
  template: ImportTemplate,
  issuesMax: number,
): Promise<readonly ImportIssue[]> {
  if (template.schema === undefined || template.schema.trim() === '') {
    await countRows(document);
    const [first] = await firstRows(document, 1);
    // A document of items of another record does not merely have failed rows.
    return first?.problem !== undefined && (await everyRowFails(document))
      ? [{ line: first.line, message: first.problem }].slice(0, issuesMax)
      : [];
  }
  if (source.size > SCHEMA_BYTES_MAX)
    return [
      {
        line: 0,
        message:
          `The document has ${formatCount(source.size)} bytes; with a schema at most ` +
          `${formatCount(SCHEMA_BYTES_MAX)} can be validated. Send it in parts, or remove the schema from the ` +
          'import type.',
      },
    ];
  const issues = schemaOf(template.schema).validate(await headOf(source.open(), SCHEMA_BYTES_MAX), {
    bytesMax: SCHEMA_BYTES_MAX,
    issuesMax,
  });
  return issues.slice(0, issuesMax).map(({ line, message }) => ({ line, message }));
}

/** Rows inspected if the first one cannot be read. */
const ROWS_JUDGED = 20;

async function everyRowFails(document: RowDocument): Promise<boolean> {
  return (await firstRows(document, ROWS_JUDGED)).every((row) => row.problem !== undefined);
}

function schemaOf(schema: string): CompiledSchema {
  try {
    return compileSchema({ name: 'template.xsd', files: { 'template.xsd': schema } });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(0, 300) : 'it is invalid';
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Schema',
      message: `Schema: the import type's schema cannot be used: ${reason}`,
      cause,
    });
  }
}

/** Yields the failed items within the elements around them, each after a comment with the reason. */
async function* correctedBytes(
  source: ImportSource,
  template: ImportTemplate,
  failed: AsyncIterable<FailedLine>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const lines = await followFailed(failed);
  let around: readonly XmlWrapper[] = [];
  let text = '<?xml version="1.0" encoding="utf-8"?>\n';
  try {
    for await (const items of xmlItems(source, rowNames(template))) {
      for (const { line, wrappers, element } of items) {
        const reason = await lines.reasonOf(line);
        if (reason === undefined) continue;
        text +=
          wrapperTags(around, wrappers) + `<!-- ${commentText(reason)} -->\n${element ? `${writeXml(element)}\n` : ''}`;
        around = wrappers;
      }
      if (text !== '') yield Buffer.from(text);
      text = '';
      if (lines.isExhausted) break;
    }
    // Without a failed row no root was written, and a document must have one.
    yield Buffer.from(
      wrapperTags(around, []) +
        (around.length === 0 ? `<${(await rootName(source)).replace(/Item$/, 'Collection')}/>\n` : ''),
    );
  } finally {
    await lines.close();
  }
}

/** Returns the tags that lead from one position in the document to another. */
function wrapperTags(from: readonly XmlWrapper[], to: readonly XmlWrapper[]): string {
  let same = 0;
  while (same < from.length && from[same] === to[same]) same++;
  const closed = from
    .slice(same)
    .reverse()
    .map(({ name }) => `</${name}>\n`);
  const opened = to.slice(same).map(
    ({ name, attributes }) =>
      `<${name}${Object.entries(attributes)
        .map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`)
        .join('')}>\n`,
  );
  return [...closed, ...opened].join('');
}

/** A comment ends at its first two hyphens. */
function commentText(reason: string): string {
  return oneLine(reason)
    .toWellFormed()
    .replace(/-(?=-|$)/g, '- ')
    .replace(/[\ufffe\uffff]/g, '\ufffd');
}
