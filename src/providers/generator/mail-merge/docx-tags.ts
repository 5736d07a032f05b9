/** Finds tags in the paragraphs of a part and puts markers in their place. */
import type { TemplateProblem } from '../../../contracts/generator.ts';
import { childrenOf, elementOf, isElement, type Element, type Marker, type MarkupNode } from './markup.ts';
import { findTags, type TagMatch } from './tag.ts';

/** A text element of a paragraph, with its place in the paragraph's whole text. */
interface TextPiece {
  readonly text: string;
  readonly start: number;
  readonly run: Element;
  readonly element: Element;
  readonly parent: Element;
}

/**
 * Replaces the tags in the text of a part by markers, in all paragraphs: word processors split a tag into several runs
 * where its spelling was checked or a revision began. Adds problems. `part` names the part for the author.
 */
export function markTags(root: Element, part: string, problems: TemplateProblem[]): void {
  let count = 0;
  const visit = (node: MarkupNode): void => {
    if (isElement(node, 'w:p')) {
      const place = `${part === '' ? '' : `${part}, `}paragraph ${++count}`;
      // Paragraphs of text boxes are inside a paragraph; their text is not part of its own.
      for (const child of childrenOf(node)) visit(child);
      markParagraph(node, place, problems);
    } else for (const child of childrenOf(node)) visit(child);
  };
  visit(root);
}

function markParagraph(paragraph: Element, place: string, problems: TemplateProblem[]): void {
  const pieces = textPieces(paragraph);
  const text = pieces.map((piece) => piece.text).join('');
  const matches = findTags(text);
  for (const { problem, start, end } of matches)
    if (problem !== undefined) problems.push({ text: problem, place, tag: text.slice(start, end).slice(0, 60) });
  const tags = matches.filter(({ tag }) => tag !== undefined);
  if (tags.length === 0) return;
  const byRun = new Map<Element, TextPiece[]>();
  for (const piece of pieces) byRun.set(piece.run, [...(byRun.get(piece.run) ?? []), piece]);
  for (const [run, own] of byRun) {
    const parent = own[0]?.parent;
    if (parent && own.some((piece) => tags.some((tag) => overlaps(piece, tag))))
      parent.children.splice(parent.children.indexOf(run), 1, ...splitRun(run, own, { tags, place }));
  }
}

function overlaps({ start, text }: TextPiece, tag: TagMatch): boolean {
  return tag.start < start + text.length && tag.end > start;
}

/** Returns the text elements of a paragraph, in order; not those of deleted text and of paragraphs inside it. */
function textPieces(paragraph: Element): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let length = 0;
  const visit = (node: Element): void => {
    for (const child of node.children) {
      if (!isElement(child) || child.name === 'w:p' || child.name === 'w:del') continue;
      if (child.name !== 'w:r') {
        visit(child);
        continue;
      }
      for (const element of child.children) {
        if (!isElement(element)) continue;
        if (element.name !== 'w:t') {
          visit(element);
          continue;
        }
        const text = element.children.filter((each) => typeof each === 'string').join('');
        pieces.push({ text, start: length, run: child, element, parent: node });
        length += text.length;
      }
    }
  };
  visit(paragraph);
  return pieces;
}

/** Returns what a run becomes: runs with its properties around what is left of it, and markers between them. */
function splitRun(
  run: Element,
  pieces: readonly TextPiece[],
  { tags, place }: { readonly tags: readonly TagMatch[]; readonly place: string },
): MarkupNode[] {
  const properties = run.children.find((child) => isElement(child, 'w:rPr'));
  const result: MarkupNode[] = [];
  let content: MarkupNode[] = [];
  const endRun = (): void => {
    if (content.length > 0)
      result.push({ ...run, children: [...(properties === undefined ? [] : [properties]), ...content] });
    content = [];
  };
  for (const child of run.children) {
    if (child === properties) continue;
    const piece = pieces.find(({ element }) => element === child);
    if (!piece) {
      content.push(child);
      continue;
    }
    for (const part of splitText(piece, tags)) {
      if (typeof part === 'string') {
        content.push(elementOf('w:t', [part], { 'xml:space': 'preserve' }));
        continue;
      }
      endRun();
      result.push({ kind: 'marker', tag: part, place, properties: isElement(properties) ? properties : undefined });
    }
  }
  endRun();
  return result;
}

/** Returns the text of a piece without its tags; each tag has the position of its first character. */
function splitText({ text, start }: TextPiece, tags: readonly TagMatch[]): readonly (string | Marker['tag'])[] {
  const parts: (string | Marker['tag'])[] = [];
  const end = start + text.length;
  let at = start;
  for (const match of tags) {
    if (match.end <= start || match.start >= end) continue;
    if (match.start > at) parts.push(text.slice(at - start, match.start - start));
    if (match.start >= start && match.tag) parts.push(match.tag);
    at = Math.max(at, Math.min(match.end, end));
  }
  if (at < end) parts.push(text.slice(at - start));
  return parts;
}
