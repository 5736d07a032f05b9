import type { Context } from '../../door/context.ts';
import { timeZone } from '../../declare/core-settings.ts';
import { didYouMean, PlatformError } from '../../door/errors.ts';
import { parseValue } from '../../parameters/parse-value.ts';
import { transferKeyOf, type RecordType } from '../../declare/record.ts';
import { parseXml, type XmlElement } from '../../xml/element.ts';
import {
  FORMAT_VERSION,
  isReference,
  ROOT,
  TRANSFER_RECORDS_MAX,
  transferColumns,
  type TransferColumn,
} from './transfer.ts';

/** Largest configuration document, in bytes. */
export const TRANSFER_BYTES_MAX = 16 * 1024 * 1024;
/**
 * Root, collections, records and fields take four levels. A little more depth is allowed so that the error names the
 * line.
 */
const DEPTH_MAX = 8;
/** Longest external ID, in characters. */
const IDENTIFIER_MAX = 255;

/** One record of a document. References are external IDs. */
export interface TransferItem {
  readonly record: RecordType;
  readonly identifier: string;
  /** The line of its start tag. */
  readonly line: number;
  readonly fields: ReadonlyMap<TransferColumn, { readonly value: unknown; readonly line: number }>;
}

/**
 * Parses a configuration document strictly. Throws BAD_XML, with the line and the known names, for anything unknown.
 */
export function readConfiguration(ctx: Context, source: Uint8Array | string): readonly TransferItem[] {
  const root = parseXml(source, { bytesMax: TRANSFER_BYTES_MAX, depthMax: DEPTH_MAX });
  assertRoot(root);
  const items: TransferItem[] = [];
  const lines = new Map<string, number>();
  for (const collection of root.children) {
    const record = collectionRecord(ctx, collection);
    for (const element of collection.children) {
      const item = readItem(ctx, record, element);
      const key = `${record.name} ${item.identifier}`;
      const before = lines.get(key);
      if (before !== undefined)
        throw documentError(
          element,
          `SubscriberID: the ${record.name} on line ${before} has the same one.`,
          'SubscriberID',
        );
      lines.set(key, element.line);
      if (items.push(item) > TRANSFER_RECORDS_MAX)
        throw new PlatformError('TOO_LARGE', {
          message: `A configuration document has at most ${TRANSFER_RECORDS_MAX} records.`,
        });
    }
  }
  return items;
}

function documentError(element: XmlElement, message: string, field = element.name): PlatformError {
  return new PlatformError('BAD_XML', {
    field: field.slice(0, 100),
    message: `Line ${element.line}, ${element.name.slice(0, 100)}: ${message}`,
    details: { line: element.line },
  });
}

function assertRoot(root: XmlElement): void {
  if (root.name !== ROOT) throw documentError(root, `expected <${ROOT}> as the root of a document of configuration.`);
  assertOnly(root, ['FormatVersion']);
  const version = root.attributes['FormatVersion'] ?? '';
  if (!/^[1-9]\d{0,8}$/.test(version))
    throw documentError(root, `FormatVersion: expected a whole number, ${FORMAT_VERSION} at most.`, 'FormatVersion');
  if (Number(version) > FORMAT_VERSION)
    throw documentError(
      root,
      `FormatVersion: the document has format ${version}, and this installation reads up to ${FORMAT_VERSION}; ` +
        'upgrade it first.',
      'FormatVersion',
    );
}

/** Throws BAD_XML for unknown attributes, and for text where only elements are expected. */
function assertOnly(element: XmlElement, attributes: readonly string[], text = false): void {
  const unknown = Object.keys(element.attributes).find((name) => !attributes.includes(name));
  if (unknown !== undefined)
    throw documentError(
      element,
      `there is no attribute ${unknown.slice(0, 100)} here. Known: ${attributes.join(', ') || 'none'}.`,
      unknown,
    );
  if (!text && element.text.trim() !== '') throw documentError(element, 'expected elements, not text.');
}

function collectionRecord(ctx: Context, collection: XmlElement): RecordType {
  assertOnly(collection, []);
  const record = collection.name.endsWith('Collection')
    ? ctx.registry.record(collection.name.slice(0, -'Collection'.length))
    : undefined;
  if (record && transferKeyOf(record) !== undefined) return record;
  const known = ctx.registry
    .records()
    .filter((r) => transferKeyOf(r) !== undefined)
    .map((r) => `${r.name}Collection`)
    .sort();
  throw documentError(
    collection,
    `no collection of configuration has this name.${didYouMean(collection.name, known)} Known: ${known.join(', ')}.`,
  );
}

function readItem(ctx: Context, record: RecordType, element: XmlElement): TransferItem {
  if (element.name.toLowerCase() !== `${record.table}item`)
    throw documentError(element, `expected ${record.name}Item.`);
  assertOnly(element, ['SubscriberID']);
  const identifier = element.attributes['SubscriberID'] ?? '';
  if (identifier === '' || identifier.length > IDENTIFIER_MAX)
    throw documentError(
      element,
      `SubscriberID: expected the record's identifier, 1 to ${IDENTIFIER_MAX} characters.`,
      'SubscriberID',
    );
  const columns = transferColumns(ctx.registry, record);
  const fields = new Map<TransferColumn, { value: unknown; line: number }>();
  for (const child of element.children) {
    const column = columns.get(child.name.toLowerCase());
    if (!column) {
      const known = [...columns.values()].map((c) => c.name);
      const reference = columns.get(`${child.name.toLowerCase().replace(/id$/, '')}subscriberid`);
      const suggestion = reference ? ` Did you mean ${reference.name}?` : didYouMean(child.name, known);
      throw documentError(
        child,
        `${record.name} has no such field that moves with configuration.${suggestion} Known: ${known.join(', ')}.`,
      );
    }
    if (fields.has(column))
      throw documentError(child, `the field appears twice in the ${record.name} on line ${element.line}.`);
    fields.set(column, { value: parseFieldValue(ctx, column, child, element.name), line: child.line });
  }
  const item = { record, identifier, line: element.line, fields };
  if (record.withheld?.(plainFields(item), ctx.registry.settings) === true)
    throw documentError(
      element,
      `this ${record.name} is not part of configuration documents; set it in the installation itself.`,
    );
  return item;
}

/** Returns the fields of an item by declared name, without references. */
export function plainFields(item: Pick<TransferItem, 'fields'>): Record<string, unknown> {
  return Object.fromEntries(
    [...item.fields].filter(([column]) => !isReference(column)).map(([{ column }, { value }]) => [column.name, value]),
  );
}

function parseFieldValue(ctx: Context, of: TransferColumn, element: XmlElement, within: string): unknown {
  const { column, name } = of;
  assertOnly(element, [], true);
  if (element.children.length > 0) throw documentError(element, 'expected a value, not elements.');
  if (isReference(of)) {
    if (element.text.length > IDENTIFIER_MAX)
      throw documentError(element, `expected an identifier of at most ${IDENTIFIER_MAX} characters.`);
    return element.text === '' ? null : element.text;
  }
  if (column.field.kind === 'json') return element.text === '' ? null : parseJson(element.text, element);
  try {
    return parseValue(column.field, element.text, name, { timeZone: ctx.settings.get(timeZone) });
  } catch (error) {
    throw error instanceof PlatformError ? withLine(element.line, within, error) : error;
  }
}

function parseJson(text: string, element: XmlElement): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw documentError(element, 'expected JSON.');
  }
}

/** Returns an error with the line and the element in front of its message. */
export function withLine(line: number, what: string, error: PlatformError): PlatformError {
  return new PlatformError(error.code, {
    message: `Line ${line}, ${what}: ${error.message}`,
    details: { ...error.details, line },
    alerts: error.alerts,
    cause: error,
    ...(error.field === undefined ? {} : { field: error.field }),
  });
}
