import type { Answer, ListAnswer, Row, Shape, TreeAnswer, TreeNode } from '../door/answer.ts';
import type { Alert } from '../door/errors.ts';
import { valueText } from '../parameters/value-text.ts';
import { listText, type ListParts } from './list-parts.ts';
import { escapeAttribute, escapeText } from '../xml/element.ts';

/** The declaration at the start of every XML answer. */
export const XML_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n';

function text(value: unknown): string {
  return escapeText(valueText(value));
}

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Returns a valid element name: other characters than letters and digits become underscores. */
function elementName(name: string): string {
  const tag = name.replace(/[^\p{L}\p{N}_.-]/gu, '_');
  return /^[\p{L}_]/u.test(tag) ? tag : `_${tag}`;
}

/** Renders the columns of a row as elements; omits nulls. */
export function rowXml(shape: Shape, of: object): string {
  const row = of as Row;
  let xml = '';
  for (const { name } of shape) {
    const value = row[name];
    if (value === null || value === undefined) continue;
    // Columns of saved statements and pivots may have names with spaces and other characters.
    const tag = plainName.test(name) ? name : elementName(name);
    xml += `<${tag}>${text(value)}</${tag}>`;
  }
  return xml;
}

/** Renders the alerts as an element; empty if there are none. */
export function alertsXml(alerts: readonly Alert[]): string {
  return alerts.length === 0 ? '' : `<Alerts>${alerts.map(alertXml).join('')}</Alerts>`;
}

function alertXml(alert: Alert): string {
  const id = alert.id === undefined ? '' : ` ID="${alert.id}"`;
  return `<Alert Code="${escapeAttribute(alert.code)}"${id}>${escapeText(alert.text)}</Alert>`;
}

/** Renders an answer as XML; alerts come first within the root element. */
export function toXml(answer: Exclude<Answer, { kind: 'content' }>, alerts: readonly Alert[]): string {
  const lead = alertsXml(alerts);
  switch (answer.kind) {
    case 'item':
      return `${XML_DECLARATION}<${answer.name}Item>${lead}${rowXml(answer.shape, answer.row)}</${answer.name}Item>`;
    case 'list':
      return listText(answer, xmlParts(answer, alerts));
    case 'tree':
      return XML_DECLARATION + nodeXml(answer.root, lead);
    case 'nothing':
      return `${XML_DECLARATION}<Result>${lead}</Result>`;
  }
}

/** Returns the parts of a list's XML. */
export function xmlParts({ name, shape }: ListAnswer<object>, alerts: readonly Alert[]): ListParts {
  return {
    open: `${XML_DECLARATION}<${name}Collection>${alertsXml(alerts)}`,
    row: (row) => `<${name}Item>${rowXml(shape, row)}</${name}Item>`,
    between: '',
    close: `</${name}Collection>`,
  };
}

/** Renders a whole tree as XML piece by piece, as its children are read. */
export async function* treePieces(
  { root, children }: NonNullable<TreeAnswer['whole']>,
  alerts: readonly Alert[],
): AsyncGenerator<string, void, undefined> {
  yield `${XML_DECLARATION}<${root.name}${attributesXml(root)}>${alertsXml(alerts)}`;
  for await (const batch of children) yield batch.map((child) => nodeXml(child)).join('');
  yield `</${root.name}>`;
}

function attributesXml({ attributes }: TreeNode): string {
  let xml = '';
  for (const [name, value] of Object.entries(attributes ?? {}))
    if (value !== null && value !== undefined) xml += ` ${name}="${escapeAttribute(String(value))}"`;
  return xml;
}

/** Renders a tree node as XML without a declaration; `lead` precedes its children. */
function nodeXml(node: TreeNode, lead = ''): string {
  const attributes = attributesXml(node);
  const value = node.value === null || node.value === undefined ? '' : text(node.value);
  const inner = lead + value + (node.xml ?? '') + (node.children ?? []).map((child) => nodeXml(child)).join('');
  return inner === '' ? `<${node.name}${attributes}/>` : `<${node.name}${attributes}>${inner}</${node.name}>`;
}
