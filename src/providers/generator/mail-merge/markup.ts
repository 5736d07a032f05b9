import { SaxesParser } from 'saxes';
import type { PlacedTag } from './template.ts';

/** An element of a part, changed in place while the template is compiled. */
export interface Element {
  readonly kind: 'element';
  readonly name: string;
  readonly attributes: Map<string, string>;
  children: MarkupNode[];
}

/** A tag in place of the text that it was written as; `properties` are those of its run. */
export interface Marker extends PlacedTag {
  readonly kind: 'marker';
  readonly properties: Element | undefined;
}

/** A section around the nodes that it repeats or leaves out. */
export interface SectionNode extends PlacedTag {
  readonly kind: 'section';
  children: MarkupNode[];
}

/** A node of a part; a string is character data, not escaped. */
export type MarkupNode = string | Element | Marker | SectionNode;

/** Most elements of a part, how deep they may be nested, and most characters: an element takes much memory. */
const ELEMENTS_MAX = 500_000;
const DEPTH_MAX = 200;
const CHARACTERS_MAX = 32 * 1024 * 1024;

/** Parses a part of a package. Throws an error with the reason if it is not well-formed, or beyond a limit. */
export function parseMarkup(text: string): Element {
  if (text.length > CHARACTERS_MAX) throw new Error(`more than ${CHARACTERS_MAX} characters`);
  const parser = new SaxesParser({ xmlns: false });
  const root: Element = { kind: 'element', name: '', attributes: new Map(), children: [] };
  const open: Element[] = [root];
  let count = 0;
  const append = (node: MarkupNode): void => void open.at(-1)?.children.push(node);
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', () => {
    throw new Error('a document type declaration');
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = {
      kind: 'element',
      name,
      attributes: new Map(Object.entries(attributes as Record<string, string>)),
      children: [],
    };
    if (++count > ELEMENTS_MAX) throw new Error(`more than ${ELEMENTS_MAX} elements`);
    if (open.length > DEPTH_MAX) throw new Error(`elements nested more than ${DEPTH_MAX} deep`);
    append(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', append);
  parser.on('cdata', append);
  parser.write(text).close();
  const found = root.children.find((node) => isElement(node));
  if (!found) throw new Error('no element');
  return found;
}

/** Returns a new element. */
export function elementOf(name: string, children: MarkupNode[] = [], attributes: Record<string, string> = {}): Element {
  return { kind: 'element', name, attributes: new Map(Object.entries(attributes)), children };
}

/** Whether a node is an element of this name. */
export function isElement(node: MarkupNode | undefined, name?: string): node is Element {
  return typeof node === 'object' && node.kind === 'element' && (name === undefined || node.name === name);
}

/** Returns the children of a node; none of text and tags. */
export function childrenOf(node: MarkupNode): readonly MarkupNode[] {
  return typeof node === 'string' || node.kind === 'marker' ? [] : node.children;
}

/** Returns text as character data. Characters that XML forbids are dropped. */
export function escapeText(text: string): string {
  return text.replace(FORBIDDEN, '').replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign);
}

/** Returns text as the value of an attribute in double quotes. */
export function escapeAttribute(text: string): string {
  return escapeText(text)
    .replaceAll('"', '&quot;')
    .replace(/[\t\n\r]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** The characters that XML 1.0 forbids. */
const FORBIDDEN = new RegExp(
  '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff]' +
    '|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]',
  'g',
);
