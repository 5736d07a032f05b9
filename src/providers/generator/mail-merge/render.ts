import type { TreeNode } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { ImageSize, Path } from './tag.ts';
import type { TemplateNode } from './template.ts';
import { fieldText, find, sectionScopes, type Scope, type Writing } from './values.ts';

/** What a tag says of a picture. */
export interface ImageTag {
  readonly path: Path;
  readonly size: ImageSize;
}

/** What writing a document needs beside its template. */
export interface RenderContext {
  readonly writing: Writing;
  /** Ends the work; its reason is thrown. */
  readonly signal: AbortSignal;
  /** Returns the markup of an image; '' if the field has none. */
  readonly image: (node: TreeNode | undefined, tag: ImageTag) => string;
  /** Returns a number that was not returned before. */
  readonly counter: () => number;
}

/**
 * Most steps of writing a document: texts, fields and repetitions; and most characters. Nothing else runs meanwhile,
 * and sections within each other multiply.
 */
const STEPS_MAX = 1_000_000;
const CHARACTERS_MAX = 128 * 1024 * 1024;

/** What is written, and how much of it there is. */
class Output {
  private readonly parts: string[] = [];
  private steps = 0;
  private characters = 0;

  /** Counts a step. @throws TOO_LARGE for one too many */
  step(): void {
    if (++this.steps > STEPS_MAX) throw tooLarge(`${STEPS_MAX} texts, fields and repetitions`);
  }

  /** @throws TOO_LARGE */
  add(text: string): void {
    this.step();
    this.characters += text.length;
    if (this.characters > CHARACTERS_MAX) throw tooLarge(`${CHARACTERS_MAX} characters`);
    this.parts.push(text);
  }

  /** Takes back what was added after a position, and returns it. */
  takeAfter(position: number): string {
    const text = this.parts.splice(position).join('');
    this.characters -= text.length;
    return text;
  }

  get position(): number {
    return this.parts.length;
  }
}

function tooLarge(what: string): PlatformError {
  return new PlatformError('TOO_LARGE', {
    message: `The document would have more than ${what}. Are sections repeated within each other?`,
  });
}

/** Writes a compiled template with its data. A value is never read as template. @throws TOO_LARGE */
export function renderTemplate(nodes: readonly TemplateNode[], data: TreeNode, context: RenderContext): string {
  const out = new Output();
  renderNodes(nodes, { node: data, outer: undefined, index: 1, count: 1 }, context, out);
  return out.takeAfter(0);
}

function renderNodes(nodes: readonly TemplateNode[], scope: Scope, context: RenderContext, out: Output): void {
  for (const node of nodes) {
    if (typeof node === 'string') {
      out.add(node);
      continue;
    }
    switch (node.kind) {
      case 'field':
        out.add(node.wrap(fieldText(scope, node.path, node.formats, context.writing)));
        break;
      case 'image':
        out.add(node.wrap(context.image(find(scope, node.path), node)));
        break;
      case 'counter':
        out.add(String(context.counter()));
        break;
      case 'section':
        context.signal.throwIfAborted();
        for (const inner of sectionScopes(scope, node.path, node)) {
          out.step();
          renderNodes(node.nodes, inner, context, out);
        }
        break;
      case 'element': {
        const { position } = out;
        renderNodes(node.nodes, scope, context, out);
        out.add(node.finish(out.takeAfter(position)));
        break;
      }
    }
  }
}
