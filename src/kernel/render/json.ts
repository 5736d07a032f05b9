import type { Answer, ListAnswer, Row, Shape, TreeNode } from '../door/answer.ts';
import type { Alert } from '../door/errors.ts';
import { listText, type ListParts } from './list-parts.ts';
import type { Field } from '../declare/field-types.ts';

type Write = (value: unknown) => string;

/** What JSON escapes in a text: quotes, backslashes, control characters, and halves of surrogate pairs. */
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Most texts need no escapes, and finding that out takes half as long as JSON.stringify. */
const quote: Write = (value) =>
  typeof value === 'string' && !escaped.test(value) ? `"${value}"` : JSON.stringify(value);

/** Returns the writer of a field. Numbers are written from their text: exact decimals never become floating-point. */
function writerOf(field: Field | undefined): Write {
  switch (field?.kind) {
    case 'integer':
    case 'id':
    case 'boolean':
      return String;
    case 'decimal':
    case 'money':
      return decimal;
    default:
      return quote;
  }
}

/** PostgreSQL's numeric has NaN and Infinity, JSON does not: these become strings. */
const decimal: Write = (value) => (/^-?\d/.test(String(value)) ? String(value) : quote(String(value)));

interface Writer {
  readonly name: string;
  readonly key: string;
  readonly write: Write;
}

const writers = new WeakMap<Shape, readonly Writer[]>();

function writersOf(shape: Shape): readonly Writer[] {
  let made = writers.get(shape);
  if (!made)
    writers.set(
      shape,
      (made = shape.map(({ name, field }) => ({ name, key: `${JSON.stringify(name)}:`, write: writerOf(field) }))),
    );
  return made;
}

/** Renders a row as members; omits nulls. */
function rowJson(shape: Shape, of: object): string {
  const row = of as Row;
  let text = '';
  for (const { name, key, write } of writersOf(shape)) {
    const value = row[name];
    if (value === null || value === undefined) continue;
    text += text === '' ? key + write(value) : `,${key}${write(value)}`;
  }
  return text;
}

function alertsJson(alerts: readonly Alert[]): string {
  const list = alerts.map((a) => ({ Code: a.code, ...(a.id === undefined ? {} : { ID: a.id }), Text: a.text }));
  return `"Alerts":${JSON.stringify(list)}`;
}

/**
 * Renders an answer as JSON: a flat object for one record, `{"ContactCollection":{"ContactItem":[…]}}` for a list, the
 * tree for a tree.
 */
export function toJson(answer: Exclude<Answer, { kind: 'content' }>, alerts: readonly Alert[]): string {
  const lead = alerts.length > 0 ? alertsJson(alerts) : '';
  const join = (body: string): string => `{${lead}${lead !== '' && body !== '' ? ',' : ''}${body}}`;
  switch (answer.kind) {
    case 'item':
      return join(rowJson(answer.shape, answer.row));
    case 'list':
      return listText(answer, jsonParts(answer, alerts));
    case 'tree':
      return join(`${JSON.stringify(answer.root.name)}:${nodeJson(answer.root)}`);
    case 'nothing':
      return join('');
  }
}

/** Returns the parts of a list's JSON. */
export function jsonParts({ name, shape }: ListAnswer<object>, alerts: readonly Alert[]): ListParts {
  return {
    open: `{${alerts.length > 0 ? `${alertsJson(alerts)},` : ''}"${name}Collection":{"${name}Item":[`,
    row: (row) => `{${rowJson(shape, row)}}`,
    between: ',',
    close: ']}}',
  };
}

/**
 * Renders a node as JSON. Attributes and children become members. Children with the same name, and all children of a
 * list, become an array.
 */
function nodeJson(node: TreeNode): string {
  if (node.xml !== undefined) return JSON.stringify(node.xml);
  const attributes = Object.entries(node.attributes ?? {}).filter(([, value]) => isPresent(value));
  const hasValue = isPresent(node.value);
  if (!node.children && attributes.length === 0) return hasValue ? writerOf(node.field)(node.value) : 'null';
  const children = node.children ?? [];
  if (node.list && attributes.length === 0) return `[${children.map(nodeJson).join(',')}]`;
  const members = [
    ...attributes.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
    ...childMembers(children, node.list === true),
    ...(hasValue ? [`"Value":${writerOf(node.field)(node.value)}`] : []),
  ];
  return `{${members.join(',')}}`;
}

function childMembers(children: readonly TreeNode[], isList: boolean): string[] {
  return [...Map.groupBy(children, ({ name }) => name)].map(([name, same]) => {
    const [only] = same;
    const isArray = isList || same.length > 1 || !only;
    return `${JSON.stringify(name)}:${isArray ? `[${same.map(nodeJson).join(',')}]` : nodeJson(only)}`;
  });
}

function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined;
}
