import type { ListAnswer, TreeAnswer, TreeNode } from '../../../../kernel/door/answer.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import { parseXml, type XmlElement } from '../../../../kernel/xml/element.ts';

/** Rows of a query, with their columns if these are known without inspecting each row. */
export interface QueryRows {
  readonly columns: readonly string[] | undefined;
  readonly rows: readonly Readonly<Record<string, RawValue>>[];
}

/** Returns the rows of a list or tree: a tree's root if it has leaf children, else each child of the root. */
export function sourceRows(piece: ListAnswer | TreeAnswer): QueryRows {
  if (piece.kind === 'list')
    return {
      columns: piece.shape.map((column) => column.name),
      rows: piece.rows as unknown as readonly Readonly<Record<string, RawValue>>[],
    };
  const root = toPlainNode(piece.root);
  return { columns: undefined, rows: root.children.some(isLeaf) ? [rowOf(root)] : root.children.map(rowOf) };
}

interface PlainNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, RawValue>>;
  readonly children: readonly PlainNode[];
  readonly value: RawValue;
}

function toPlainNode(node: TreeNode): PlainNode {
  const attributes = Object.fromEntries(
    Object.entries(node.attributes ?? {}).map(([name, value]) => [name, value ?? null]),
  );
  const written = node.xml === undefined ? [] : parseXml(`<x>${node.xml}</x>`).children.map(elementToNode);
  return {
    name: node.name,
    attributes,
    children: [...(node.children ?? []).map(toPlainNode), ...written],
    value: (node.value ?? null) as RawValue,
  };
}

function elementToNode(element: XmlElement): PlainNode {
  return {
    name: element.name,
    attributes: element.attributes,
    children: element.children.map(elementToNode),
    value: element.text,
  };
}

function isLeaf(node: PlainNode): boolean {
  return node.children.length === 0 && Object.keys(node.attributes).length === 0;
}

function rowOf(node: PlainNode): Readonly<Record<string, RawValue>> {
  return {
    ...node.attributes,
    ...Object.fromEntries(node.children.filter(isLeaf).map((child) => [child.name, child.value])),
    ...(node.children.length === 0 && node.value !== null && node.value !== '' ? { [node.name]: node.value } : {}),
  };
}
