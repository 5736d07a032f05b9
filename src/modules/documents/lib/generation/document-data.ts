import type { FileContent } from '../../../../contracts/file-content.ts';
import type { DataTable, DocumentData } from '../../../../contracts/generator.ts';
import type { ListAnswer, Row, TreeNode } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { checkSignature, fillSignature, type Signature } from '../../../../kernel/door/signature.ts';
import { parameter, type Parameters } from '../../../../kernel/parameters/parameters.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { assertCanSearch, readRecord } from '../../../../kernel/records/search/read.ts';
import { summarize } from '../../../../kernel/records/search/summary.ts';
import { toXml } from '../../../../kernel/render/xml.ts';
import { sandboxScope } from '../../../../kernel/security/identity.ts';
import { pulled } from '../../../../lib/pulled.ts';
import { attachment } from '../../attachment/attachment.record.ts';
import { answerTables, summaryTables, treeOf } from './answer-data.ts';
import type { DocumentType } from './document-type.ts';

/** The record that a document is generated for. */
export interface DocumentParent {
  readonly record: RecordType;
  readonly id: number;
}

/** What data is read from. */
export interface DataSource {
  readonly type: Pick<DocumentType, 'method'>;
  readonly parent: DocumentParent | undefined;
  /** The documents that the caller names. */
  readonly documentIds: readonly number[];
  /** Values for the expressions of the Method. */
  readonly values: Parameters;
  /** Opens a document whose ID the data contain. */
  readonly document: (id: number) => Promise<FileContent>;
}

/** How the Method of a document type is read: it names an operation that only reads. */
export const methodUse = { field: 'Method', onlyReads: true } as const;

/**
 * Returns the data of a document in the form that its generator reads, as the caller sees it: the answer of the
 * document type's Method, or the summary of its record. Tables of a Method are read while they are consumed, in the
 * transaction of the context.
 *
 * @throws MISSING_PARAMETER without a record or documents where they are needed; what the Method throws
 */
export async function documentData(
  ctx: Context,
  reads: DocumentData['kind'],
  source: DataSource,
): Promise<DocumentData> {
  if (reads === 'documents') return { kind: 'documents', documents: await namedDocuments(ctx, source.documentIds) };
  if (source.type.method === '') return summaryData(ctx, reads, source);
  const signature = await checkSignature(ctx, source.type.method, methodUse);
  const parameters = await fillSignature(signature, valueFinder(ctx, source));
  if (reads === 'tables') return { kind: 'tables', tables: await methodTables(ctx, signature, parameters) };
  const { document } = source;
  return { kind: 'tree', tree: treeOf(await ctx.callNamed(signature.route, parameters)), document };
}

async function summaryData(ctx: Context, reads: 'tree' | 'tables', source: DataSource): Promise<DocumentData> {
  const { record, id } = requireParent(source);
  const { document } = source;
  assertCanSearch(ctx, record);
  const tree = await summarize(ctx, record, id);
  return reads === 'tree'
    ? { kind: 'tree', tree, document }
    : { kind: 'tables', tables: summaryTables(ctx.registry, record, tree) };
}

function requireParent({ parent }: DataSource): DocumentParent {
  if (parent) return parent;
  throw new PlatformError('MISSING_PARAMETER', {
    field: 'ObjectID',
    message:
      'ObjectID: a document type without Method (its data source) needs Object and ObjectID, the record whose data ' +
      'fill in the document.',
  });
}

/** Returns the tables of an operation: of a list, one whose rows are read when they are needed. */
async function methodTables(ctx: Context, { route }: Signature, parameters: Parameters): Promise<readonly DataTable[]> {
  const pieces = (): AsyncGenerator<ListAnswer | { readonly kind: 'tree' }, undefined> =>
    // A reader that stops early ends the reading by an error; the save point then closes its cursor.
    pulled((take) => ctx.savepoint(() => ctx.readNamed(route, parameters, take)));
  const operation = await ctx.findOperation(...splitRoute(route));
  if (operation?.returns !== 'list') {
    const answer = await ctx.callNamed(route, parameters);
    if (answer.kind !== 'list') return answerTables(answer);
  }
  // The columns are those of the first piece, which has none of the rows if there are none.
  for await (const first of pieces()) {
    if (first.kind !== 'list') break;
    return [{ name: first.name, columns: first.shape, rows: () => rowsOf(pieces()) }];
  }
  return answerTables(
    await ctx.callNamed(route, parameters).then((answer) => ({ kind: 'tree', root: treeOf(answer) })),
  );
}

/** Returns module and path of a route. */
function splitRoute(route: string): [string, string] {
  const [module = '', ...path] = route.toLowerCase().split('/');
  return [module, path.join('/')];
}

async function* rowsOf(
  pieces: AsyncIterable<ListAnswer | { readonly kind: 'tree' }>,
): AsyncIterable<Readonly<Record<string, unknown>>> {
  for await (const piece of pieces)
    if (piece.kind === 'list') yield* piece.rows as Iterable<Readonly<Record<string, unknown>>>;
}

/** Resolves `{X}` in a Method: a column of the record, a parameter of the call, otherwise an XPath on the record. */
function valueFinder(
  ctx: Context,
  { parent, values }: DataSource,
): (expression: string) => Promise<RawValue | undefined> {
  let row: Promise<Row> | undefined;
  let tree: Promise<TreeNode> | undefined;
  return async (expression) => {
    const isName = /^\w+$/.test(expression);
    const own =
      parent && isName
        ? columnValue(await (row ??= readRecord(ctx.db, parent.record, parent.id)), expression)
        : undefined;
    const found = own ?? parameter(values, expression);
    if (found !== undefined || isName || !parent) return found;
    tree ??= summarize(ctx, parent.record, parent.id);
    const [value] = await ctx.sandbox.evaluate({
      xml: toXml({ kind: 'tree', root: await tree }, []),
      expressions: [expression],
      scope: sandboxScope(ctx.user),
    });
    return value;
  };
}

function columnValue(row: Row, name: string): RawValue | undefined {
  const found = Object.keys(row).find((key) => key.toLowerCase() === name.toLowerCase());
  return found === undefined ? undefined : ((row[found] ?? undefined) as RawValue | undefined);
}

/**
 * Returns the documents that the caller names, each as it could download it: one that is stored encrypted may contain
 * protected numbers, and its copy in a generated document would not be.
 */
async function namedDocuments(ctx: Context, ids: readonly number[]): Promise<readonly FileContent[]> {
  if (ids.length === 0)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ID',
      message: 'ID: expected the documents to combine.',
    });
  const contents: FileContent[] = [];
  for (const id of ids) contents.push(await openDocument(ctx, id, 'ID'));
  return contents;
}

/**
 * Returns a document that the data of another one name, as the caller could download it.
 * @throws NOT_FOUND, NO_PERMISSION, STATE_REFUSES
 */
export async function dataDocument(ctx: Context, id: number): Promise<FileContent> {
  assertCanSearch(ctx, attachment);
  return openDocument(ctx, id, 'ObjectID');
}

async function openDocument(ctx: Context, id: number, field: string): Promise<FileContent> {
  // The document shows what is in the file, as a download does.
  if (!ctx.user.permissions.has('AttachmentDownload'))
    throw new PlatformError('NO_PERMISSION', {
      message: 'The permission AttachmentDownload is not granted to you; using the file of a document requires it.',
    });
  const row = await readRecord(ctx.db, attachment, id);
  if (row.Sealed === true)
    throw new PlatformError('STATE_REFUSES', {
      field,
      message: `${field}: document ${id} is stored encrypted and cannot be included in another one.`,
    });
  return ctx.documents.content(row);
}
