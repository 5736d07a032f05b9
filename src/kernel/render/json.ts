import type { Answer, Row, Shape, TreeNode } from '../door/answer.ts';
import type { Alert } from '../door/errors.ts';
import type { Field } from '../declare/field-types.ts';

type Write = (value: unknown) => string;

const quote: Write = (value) => JSON.stringify(value);

/** Numbers are written from their own text: exact decimals never pass through floating point. */
function writerOf(field: Field | undefined): Write {
  switch (field?.kind) {
    case 'integer':
    case 'id':
    case 'boolean':
      return String;
    case 'decimal':
    case 'money':
      return decimal;
    case 'text':
    case 'xml':
    case 'date':
    case 'timestamp':
    case 'ssn':
    case 'idList':
    case 'textList':
    case 'json':
    case undefined:
      return quote;
  }
}

/** The database's numeric knows NaN and Infinity, JSON does not. */
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

/** One flat object; nulls are left out. */
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
  return `"Alerts":${JSON.stringify(alerts.map((a) => ({ Code: a.code, ...(a.id === undefined ? {} : { ID: a.id }), Text: a.text })))}`;
}

/** An answer as JSON: a flat object for one record, `{"ContactCollection":{"ContactItem":[…]}}` for a list, the tree for a tree. */
export function toJson(answer: Exclude<Answer, { kind: 'content' }>, alerts: readonly Alert[]): string {
  const lead = alerts.length > 0 ? alertsJson(alerts) : '';
  const join = (body: string): string => `{${lead}${lead !== '' && body !== '' ? ',' : ''}${body}}`;
  switch (answer.kind) {
    case 'item':
      return join(rowJson(answer.shape, answer.row));
    case 'list':
      return join(
        `"${answer.name}Collection":{"${answer.name}Item":[${answer.rows.map((row) => `{${rowJson(answer.shape, row)}}`).join(',')}]}`,
      );
    case 'tree':
      return join(`${JSON.stringify(answer.root.name)}:${nodeJson(answer.root)}`);
    case 'nothing':
      return join('');
  }
}

/** A node's attributes and children become members; children of one name, and all children of a list, become arrays. */
function nodeJson(node: TreeNode): string {
  const { children } = node;
  if (node.xml !== undefined) return JSON.stringify(node.xml);
  const attributes = Object.entries(node.attributes ?? {}).filter(([, v]) => v !== null && v !== undefined);
  if (!children && attributes.length === 0)
    return node.value === null || node.value === undefined ? 'null' : writerOf(node.field)(node.value);
  if (node.list && attributes.length === 0) return `[${(children ?? []).map(nodeJson).join(',')}]`;
  const members = attributes.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const byName = new Map<string, TreeNode[]>();
  for (const child of children ?? []) byName.set(child.name, [...(byName.get(child.name) ?? []), child]);
  for (const [name, same] of byName) {
    const [only] = same;
    const asList = same.length > 1 || node.list;
    members.push(`${JSON.stringify(name)}:${asList || !only ? `[${same.map(nodeJson).join(',')}]` : nodeJson(only)}`);
  }
  if (node.value !== null && node.value !== undefined) members.push(`"Value":${writerOf(node.field)(node.value)}`);
  return `{${members.join(',')}}`;
}
