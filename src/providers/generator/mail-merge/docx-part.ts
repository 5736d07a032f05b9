/** Compiles one part of a Word document, such as its body or a header. */
import type { TemplateProblem } from '../../../contracts/generator.ts';
import { markTags } from './docx-tags.ts';
import { markersIn, wrapSections } from './docx-sections.ts';
import { childrenOf, escapeAttribute, escapeText, parseMarkup, type Element, type MarkupNode } from './markup.ts';
import { assertFewTags } from './tag.ts';
import type { PlacedTag, TemplateNode } from './template.ts';

/** A compiled part, its tags in order, and what is wrong with it. */
export interface CompiledPart {
  readonly nodes: readonly TemplateNode[];
  readonly tags: readonly PlacedTag[];
  readonly problems: readonly TemplateProblem[];
}

/** Compiles a part. `name` is what its author calls it: `header 1`; empty for the body. */
export function compilePart(xml: string, name: string): CompiledPart {
  const root = parseMarkup(xml);
  const problems: TemplateProblem[] = [];
  markTags(root, name, problems);
  const tags = markersIn(root).map(({ tag, place }) => ({ tag, place }));
  assertFewTags(tags.length);
  wrapSections(root, problems);
  const writer = new PartWriter();
  writer.text('<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n');
  writer.node(root, false);
  return { nodes: writer.nodes(), tags, problems };
}

/** Identifiers that must be unique in a document and that nothing refers to. */
const OWN_IDENTIFIERS = new Set(['w14:paraId', 'w14:textId']);

/** Writes a changed part as template nodes: as few and as long strings as possible. */
class PartWriter {
  private readonly done: TemplateNode[] = [];
  private pending = '';

  nodes(): readonly TemplateNode[] {
    if (this.pending !== '') this.done.push(this.pending);
    this.pending = '';
    return this.done;
  }

  text(text: string): void {
    this.pending += text;
  }

  private put(node: TemplateNode): void {
    this.nodes();
    this.done.push(node);
  }

  /** Writes a node. `repeated`: it is inside a section, so that what it contains may occur several times. */
  node(node: MarkupNode, repeated: boolean): void {
    if (typeof node === 'string') return this.text(escapeText(node));
    if (node.kind === 'section') {
      const { tag } = node;
      if (tag.kind !== 'open') return;
      const { path, comparison, inverted } = tag;
      this.put({ kind: 'section', path, comparison, inverted, nodes: nodesOf(node.children, true) });
      return;
    }
    if (node.kind === 'marker') return this.marker(node);
    if (repeated && /^w:bookmark(?:Start|End)$/.test(node.name)) return;
    const finish = finishOf(node);
    if (finish && hasSection(node)) this.put({ kind: 'element', nodes: elementNodes(node, repeated), finish });
    else this.element(node, repeated);
  }

  private marker({ tag, properties }: Extract<MarkupNode, { kind: 'marker' }>): void {
    const run = properties ? markupText(properties) : '';
    if (tag.kind === 'field') {
      const wrap = (text: string): string => (text === '' ? '' : `<w:r>${run}${textMarkup(text)}</w:r>`);
      this.put({ kind: 'field', path: tag.path, formats: tag.formats, wrap });
    }
    if (tag.kind === 'image') {
      const wrap = (markup: string): string => (markup === '' ? '' : `<w:r>${run}${markup}</w:r>`);
      this.put({ kind: 'image', path: tag.path, size: tag.size, wrap });
    }
  }

  element({ name, attributes, children }: Element, repeated: boolean): void {
    this.text(`<${name}`);
    for (const [key, value] of attributes) {
      if (repeated && OWN_IDENTIFIERS.has(key)) continue;
      if (name === 'wp:docPr' && key === 'id') {
        this.text(' id="');
        this.put({ kind: 'counter' });
        this.text('"');
      } else this.text(` ${key}="${escapeAttribute(value)}"`);
    }
    if (children.length === 0) return this.text('/>');
    this.text('>');
    for (const child of children) this.node(child, repeated);
    this.text(`</${name}>`);
  }
}

function nodesOf(children: readonly MarkupNode[], repeated: boolean): readonly TemplateNode[] {
  const writer = new PartWriter();
  for (const child of children) writer.node(child, repeated);
  return writer.nodes();
}

function elementNodes(element: Element, repeated: boolean): readonly TemplateNode[] {
  const writer = new PartWriter();
  writer.element(element, repeated);
  return writer.nodes();
}

function markupText(element: Element): string {
  const writer = new PartWriter();
  writer.element(element, false);
  // Properties contain no tags, so all is text.
  return writer
    .nodes()
    .filter((node) => typeof node === 'string')
    .join('');
}

function hasSection(node: MarkupNode): boolean {
  return (typeof node === 'object' && node.kind === 'section') || childrenOf(node).some(hasSection);
}

/**
 * Returns what keeps an element valid if sections leave nothing in it: word processors call a file damaged whose table
 * has no rows, or whose cell does not end with a paragraph.
 */
function finishOf({ name }: Element): ((content: string) => string) | undefined {
  if (name === 'w:tbl') return (content) => (content.includes('<w:tr>') || content.includes('<w:tr ') ? content : '');
  if (name === 'w:tc')
    return (content) =>
      /<\/w:p><\/w:tc>$|<w:p[^>]*\/><\/w:tc>$/.test(content)
        ? content
        : content.replace(/(?:\/>|<\/w:tc>)$/, (end) => (end === '/>' ? '><w:p/></w:tc>' : '<w:p/></w:tc>'));
  return undefined;
}

/** Returns a value as the content of a run; line ends and tabs become those of the word processor. */
function textMarkup(text: string): string {
  return text
    .split(/(\r\n|\n|\r|\t)/)
    .map((piece) => {
      if (piece === '') return '';
      if (piece === '\t') return '<w:tab/>';
      return /^[\r\n]+$/.test(piece) ? '<w:br/>' : `<w:t xml:space="preserve">${escapeText(piece)}</w:t>`;
    })
    .join('');
}
