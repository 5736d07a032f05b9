/** Compiles a template in HTML. Tags are found in text and in values of attributes. */
import type { DataShape, TemplateProblem } from '../../../contracts/generator.ts';
import { replaceSpans } from '../../../lib/markup-spans.ts';
import { findTags } from './tag.ts';
import { pairSections, unknownFields, type PlacedTag, type Section, type TemplateNode } from './template.ts';

/** Parts of HTML in which braces are not tags. */
const CODE = /<!--|<(?:style|script)\b/;
const CODE_ENDS = { '<!--': /-->/, '<style': /<\/style\s*>/, '<script': /<\/script\s*>/ };

/** A compiled HTML template. */
export interface HtmlTemplate {
  readonly nodes: readonly TemplateNode[];
  readonly problems: (shape: DataShape | undefined) => readonly TemplateProblem[];
}

/** Compiles a template. Problems name lines. */
export function compileHtml(html: string): HtmlTemplate {
  const problems: TemplateProblem[] = [];
  const parts: (string | PlacedTag)[] = [];
  let at = 0;
  // Code is blanked, so that positions stay.
  const searched = replaceSpans(html, CODE, CODE_ENDS, (code) => ' '.repeat(code.length));
  const lineAt = lineCounter(html);
  for (const { start, end, tag, problem } of findTags(searched)) {
    const place = `line ${lineAt(start)}`;
    if (problem !== undefined) problems.push({ text: problem, place });
    if (!tag) continue;
    parts.push(html.slice(at, start), { tag, place });
    at = end;
  }
  parts.push(html.slice(at));
  const tags = parts.filter((part) => typeof part !== 'string');
  problems.push(...pairSections(tags).problems);
  return {
    nodes: problems.length === 0 ? nest(parts) : [],
    problems: (shape) => (shape === undefined ? problems : [...problems, ...unknownFields(tags, shape)]),
  };
}

/** Returns a function that returns the line of a position, from 1; each position is at or after the one before. */
function lineCounter(text: string): (position: number) => number {
  let line = 1;
  let next = text.indexOf('\n');
  return (position) => {
    for (; next !== -1 && next < position; next = text.indexOf('\n', next + 1)) line++;
    return line;
  };
}

/** Returns nodes with sections around what they repeat; the tags are paired correctly. */
function nest(parts: readonly (string | PlacedTag)[]): readonly TemplateNode[] {
  const open: { readonly nodes: TemplateNode[]; readonly section?: Omit<Section, 'nodes'> }[] = [{ nodes: [] }];
  for (const part of parts) {
    const nodes = open.at(-1)?.nodes ?? [];
    if (typeof part === 'string') {
      if (part !== '') nodes.push(part);
      continue;
    }
    const { tag } = part;
    switch (tag.kind) {
      case 'open': {
        const { path, comparison, inverted } = tag;
        open.push({ nodes: [], section: { kind: 'section', path, comparison, inverted } });
        break;
      }
      case 'close': {
        const ended = open.pop();
        if (ended?.section) open.at(-1)?.nodes.push({ ...ended.section, nodes: ended.nodes });
        break;
      }
      case 'field':
        nodes.push({ kind: 'field', path: tag.path, formats: tag.formats, wrap: escapeHtml });
        break;
      case 'image':
        nodes.push({ kind: 'image', path: tag.path, size: tag.size, wrap: (markup) => markup });
        break;
    }
  }
  return open[0]?.nodes ?? [];
}

/** Returns text as HTML text, also within an attribute's quotes. */
export function escapeHtml(text: string): string {
  const signs: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (sign) => signs[sign] ?? '').replace(/\r\n|\n|\r/g, '<br>');
}
