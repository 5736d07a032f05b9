import type { Field, ParameterFields } from '../declare/field-types.ts';
import type { RecordType } from '../declare/record.ts';

/** The columns of an answer's rows, in order. */
export type Shape = readonly { readonly name: string; readonly field: Field }[];

/** A row as it leaves the store: declared names, values in the platform's own form. */
export type Row = Readonly<Record<string, unknown>>;

/** One record or result: `<ContactItem>` in XML, one flat object in JSON. */
export interface ItemAnswer<R = Row> {
  readonly kind: 'item';
  readonly name: string;
  readonly shape: Shape;
  readonly row: R;
}

/** A list: `<ContactCollection><ContactItem>…` in XML, the same tree in JSON, rows in Csv. */
export interface ListAnswer<R = Row> {
  readonly kind: 'list';
  readonly name: string;
  readonly shape: Shape;
  readonly rows: readonly R[];
}

/** A named node of a tree answer. Leaves carry `value`; `list` makes its children arrays in JSON even where there is one. */
export interface TreeNode {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly value?: unknown;
  readonly field?: Field;
  readonly children?: readonly TreeNode[];
  readonly list?: boolean;
  /** Content that is XML already, made by the platform itself. */
  readonly xml?: string;
}

/** A tree with a form of its own, such as a summary or ImportResults. `failed`: it tells of a failure, which HTTP shows as 500. */
export interface TreeAnswer {
  readonly kind: 'tree';
  readonly root: TreeNode;
  readonly failed?: boolean;
}

/** Bytes as they are: a file, a schema. */
export interface ContentAnswer {
  readonly kind: 'content';
  readonly mime: string;
  readonly fileName?: string;
  readonly disposition?: 'attachment' | 'inline';
  readonly length?: number;
  /** Names the content itself: equal tags mean equal bytes, so that a caller who has them need not get them again. */
  readonly tag?: string;
  /** When the content was last changed, ISO 8601. */
  readonly modified?: string;
  /** A stream is opened when it is read, and not before: whoever wants the headers alone leaves it. */
  readonly bytes: Uint8Array | string | AsyncIterable<Uint8Array>;
  /** A part of the bytes, from `start` to before `end`, where parts can be read; it takes `length`. */
  readonly part?: (start: number, end: number) => AsyncIterable<Uint8Array>;
}

/** Nothing to tell: 204 over HTTP. */
export interface NothingAnswer {
  readonly kind: 'nothing';
}

/** What an operation answers, before a surface renders it. */
export type Answer = ItemAnswer<object> | ListAnswer<object> | TreeAnswer | ContentAnswer | NothingAnswer;

const shapes = new WeakMap<RecordType, Shape>();

/** The shape of a record type's rows. */
export function shapeOf(record: RecordType): Shape {
  let shape = shapes.get(record);
  if (!shape) shapes.set(record, (shape = record.shown.map(({ name, field }) => ({ name, field }))));
  return shape;
}

const fieldShapes = new WeakMap<ParameterFields, Shape>();

/** The shape of declared results. */
function shapeOfFields(fields: ParameterFields): Shape {
  let shape = fieldShapes.get(fields);
  if (!shape) fieldShapes.set(fields, (shape = Object.entries(fields).map(([name, field]) => ({ name, field }))));
  return shape;
}

/** One result with declared fields, named after the operation's result. */
export function item<R extends object>(name: string, fields: ParameterFields, row: R): ItemAnswer<R> {
  return { kind: 'item', name, shape: shapeOfFields(fields), row };
}

/** A list of results with declared fields. */
export function list<R extends object>(name: string, fields: ParameterFields, rows: readonly R[]): ListAnswer<R> {
  return { kind: 'list', name, shape: shapeOfFields(fields), rows };
}

/** One record. */
export function recordItem(record: RecordType, row: Row): ItemAnswer {
  return { kind: 'item', name: record.name, shape: shapeOf(record), row };
}
