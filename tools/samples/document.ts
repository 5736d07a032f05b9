import { escapeAttribute, escapeText } from '../../src/kernel/xml/element.ts';

/** An element to be written for a person to read: a value or children, absent ones left out. */
export interface Node {
  readonly name: string;
  readonly value?: string;
  readonly cdata?: string;
  readonly children?: readonly Node[];
  readonly reference?: string;
}

/** An element with a value, or nothing when there is no value. */
export function value(name: string, text: string | number | undefined): Node[] {
  return text === undefined ? [] : [{ name, value: String(text) }];
}

/** An element with children, or nothing when there are no children. */
export function parent(name: string, children: readonly Node[] | undefined, reference?: string): Node[] {
  if (children === undefined || children.length === 0) return [];
  return [{ name, children, ...(reference === undefined ? {} : { reference }) }];
}

/** A whole document, an element on each line. */
export function documentOf(items: readonly Node[], reference?: string): string {
  const root: Node = { name: 'ImportCollection', children: items, ...(reference === undefined ? {} : { reference }) };
  return `<?xml version="1.0" encoding="utf-8"?>\n${linesOf(root, '').join('\n')}\n`;
}

function linesOf(node: Node, indent: string): string[] {
  const reference = node.reference === undefined ? '' : ` Reference="${escapeAttribute(node.reference)}"`;
  const start = `<${node.name}${reference}>`;
  const end = `</${node.name}>`;
  if (node.cdata !== undefined) return [`${indent}${start}<![CDATA[${node.cdata}]]>${end}`];
  if (!node.children) return [`${indent}${start}${escapeText(node.value ?? '')}${end}`];
  return [`${indent}${start}`, ...node.children.flatMap((child) => linesOf(child, `${indent}  `)), `${indent}${end}`];
}
