/** Turns the markers of sections into sections around what they repeat: runs, paragraphs or rows of a table. */
import type { TemplateProblem } from '../../../contracts/generator.ts';
import { childrenOf, isElement, type Element, type Marker, type MarkupNode, type SectionNode } from './markup.ts';
import { pairSections } from './template.ts';

/** A node that has children. */
type Container = Element | SectionNode;

/**
 * Wraps what is between the tags of each section. Tags in one paragraph repeat its runs; tags in different cells of a
 * row, or in different rows, repeat rows; all others repeat the paragraphs and tables between them. A paragraph with
 * nothing but a tag disappears with it. Adds problems, and leaves nothing of the tags.
 */
export function wrapSections(root: Element, problems: TemplateProblem[]): void {
  const markers = markersIn(root);
  const { pairs, problems: found } = pairSections(markers);
  problems.push(...found);
  // Inner sections end first.
  for (const [open, close] of pairs) wrap(root, open, close);
}

/** Returns the markers of a part, in order. */
export function markersIn(node: MarkupNode): readonly Marker[] {
  if (typeof node === 'string') return [];
  return node.kind === 'marker' ? [node] : node.children.flatMap(markersIn);
}

function wrap(root: Element, open: Marker, close: Marker): void {
  const [from, to] = [pathTo(root, open), pathTo(root, close)];
  if (!from || !to) return;
  let depth = 0;
  while (from[depth + 1] !== undefined && from[depth + 1] === to[depth + 1]) depth++;
  // Between different cells of a row, the row is repeated.
  while (depth > 0 && elementName(from, depth) === 'w:tr') depth--;
  const container = from[depth] as Container;
  const isRowLoop = from[depth + 1] === to[depth + 1];
  const first = from[depth + 1] as MarkupNode;
  const last = (isRowLoop ? first : to[depth + 1]) as MarkupNode;
  const start = container.children.indexOf(first);
  const end = container.children.indexOf(last);
  remove(from, open);
  remove(to, close);
  const isInline = isWithinParagraph(from.slice(0, depth + 1));
  const content = container.children
    .slice(start, end + 1)
    .filter((node) => isInline || !((node === first || node === last) && isEmptyParagraph(node)));
  container.children.splice(start, end + 1 - start, {
    kind: 'section',
    tag: open.tag,
    place: open.place,
    children: content,
  });
}

/** Returns the nodes from the root to a node, both included. */
function pathTo(root: MarkupNode, sought: MarkupNode): readonly MarkupNode[] | undefined {
  if (root === sought) return [root];
  for (const child of childrenOf(root)) {
    const path = pathTo(child, sought);
    if (path) return [root, ...path];
  }
  return undefined;
}

function elementName(path: readonly MarkupNode[], depth: number): string | undefined {
  const node = path[depth];
  return isElement(node) ? node.name : undefined;
}

/** Removes the marker at the end of a path from its parent. */
function remove(path: readonly MarkupNode[], marker: Marker): void {
  const parent = path.at(-2) as Container;
  parent.children = parent.children.map((child) => (child === marker ? '' : child));
}

function isWithinParagraph(path: readonly MarkupNode[]): boolean {
  const names = path.filter((node) => isElement(node)).map((node) => node.name);
  return names.lastIndexOf('w:p') > Math.max(names.lastIndexOf('w:tc'), names.lastIndexOf('w:txbxContent'));
}

/** Whether nothing of a paragraph is left but its properties. */
function isEmptyParagraph(node: MarkupNode): boolean {
  if (!isElement(node, 'w:p')) return false;
  return node.children.every(
    (child) => child === '' || (isElement(child) && /^w:(?:pPr|proofErr|bookmarkStart|bookmarkEnd)$/.test(child.name)),
  );
}
