import type { ErrorCode } from './errors.ts';
import type { Field, ParameterFields } from '../declare/field-types.ts';
import type { ShownColumnsOf } from '../declare/columns.ts';
import type { RecordType } from '../declare/record.ts';

/** The columns of an answer's rows, in order. */
export type Shape = readonly { readonly name: string; readonly field: Field }[];

/**
 * A row as read from the database: values in the platform's form under their declared names. `Row<typeof contact>` has
 * the columns of a contact; plain `Row` is one of a record type that is known only at run time.
 */
export type Row<R extends RecordType = RecordType> = ShownColumnsOf<R>;

/** Returns the ID of a row, by the column that its record type has for it. */
export function recordId(record: RecordType, row: object): number {
  return Number((row as Row)[record.idField]);
}

/** Returns the version of a row of any record type. */
export function versionOf(row: Row): number {
  return Number(row['Version']);
}

/** Returns the record that a row of any record type belongs to; undefined if to none. */
export function parentOf(row: Row): { readonly className: string; readonly id: number } | undefined {
  const [className, id] = [row['Object'], row['ObjectID']];
  return typeof className === 'string' && typeof id === 'number' ? { className, id } : undefined;
}

/** One record or result: `<ContactItem>` in XML, one flat object in JSON. */
export interface ItemAnswer<R = Row> {
  readonly kind: 'item';
  readonly name: string;
  readonly shape: Shape;
  readonly row: R;
}

/** A list: `<ContactCollection><ContactItem>…` in XML, the same tree in JSON, rows in CSV. */
export interface ListAnswer<R = Row> {
  readonly kind: 'list';
  readonly name: string;
  readonly shape: Shape;
  readonly rows: readonly R[];
  /** Further rows, read while the answer is sent. Only HTTP sends them, as XML, JSON or CSV. */
  readonly more?: AsyncIterable<readonly R[]>;
}

/**
 * A named node of a tree answer. Leaves have a `value`. `list` renders the children as arrays in JSON, even a single
 * one.
 */
export interface TreeNode {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly value?: unknown;
  readonly field?: Field;
  readonly children?: readonly TreeNode[];
  readonly list?: boolean;
  /** Content that is already XML, written by the platform. */
  readonly xml?: string;
}

/**
 * A tree with its own format, such as a summary or ImportResults. `failed`: it reports a failure, which HTTP returns as
 * 500, or with the status of the error code.
 */
export interface TreeAnswer {
  readonly kind: 'tree';
  readonly root: TreeNode;
  readonly failed?: boolean | ErrorCode;
  /**
   * A root without children, and all of its children, read while the answer is sent. Only HTTP sends it, as XML,
   * instead of `root`, which has as many as fit.
   */
  readonly whole?: { readonly root: TreeNode; readonly children: AsyncIterable<readonly TreeNode[]> };
}

/** Bytes sent unchanged: a file, a schema. */
export interface ContentAnswer {
  readonly kind: 'content';
  readonly mime: string;
  readonly fileName?: string;
  readonly disposition?: 'attachment' | 'inline';
  /**
   * The content security policy of HTML that the platform has cleaned for a sandboxed frame. Without one, HTML is never
   * shown by a browser.
   */
  readonly framePolicy?: string;
  readonly length?: number;
  /** Identifies the content: equal tags mean equal bytes, so that a caller can skip downloading what it already has. */
  readonly tag?: string;
  /** When the content was last changed, ISO 8601. */
  readonly modified?: string;
  /**
   * A stream is opened only when it is read, so a request for the headers alone costs nothing. The memory of a piece
   * may be used again once the next one is requested.
   */
  readonly bytes: Uint8Array | string | AsyncIterable<Uint8Array>;
  /** Reads the bytes from `start` to before `end`, if the source can read ranges; requires `length`. */
  readonly part?: (start: number, end: number) => AsyncIterable<Uint8Array>;
}

/** No content: 204 over HTTP. */
export interface NothingAnswer {
  readonly kind: 'nothing';
}

/** What an operation returns, before a surface renders it. */
export type Answer = ItemAnswer<object> | ListAnswer<object> | TreeAnswer | ContentAnswer | NothingAnswer;

const shapes = new WeakMap<RecordType, Shape>();

/** Returns the shape of a record type's rows. */
export function shapeOf(record: RecordType): Shape {
  let shape = shapes.get(record);
  if (!shape) shapes.set(record, (shape = record.shown.map(({ name, field }) => ({ name, field }))));
  return shape;
}

const fieldShapes = new WeakMap<ParameterFields, Shape>();

/** Returns the shape of declared results. */
function shapeOfFields(fields: ParameterFields): Shape {
  let shape = fieldShapes.get(fields);
  if (!shape) fieldShapes.set(fields, (shape = Object.entries(fields).map(([name, field]) => ({ name, field }))));
  return shape;
}

/** Returns one result with declared fields. */
export function item<R extends object>(name: string, fields: ParameterFields, row: R): ItemAnswer<R> {
  return { kind: 'item', name, shape: shapeOfFields(fields), row };
}

/** Returns a list of results with declared fields. */
export function list<R extends object>(name: string, fields: ParameterFields, rows: readonly R[]): ListAnswer<R> {
  return { kind: 'list', name, shape: shapeOfFields(fields), rows };
}

/** Returns one record as an answer. */
export function recordItem(record: RecordType, row: Row): ItemAnswer {
  return { kind: 'item', name: record.name, shape: shapeOf(record), row };
}
