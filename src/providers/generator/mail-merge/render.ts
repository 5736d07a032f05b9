import type { TreeNode } from '../../../kernel/door/answer.ts';
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

/** Writes a compiled template with its data. A value is never read as template. */
export function renderTemplate(nodes: readonly TemplateNode[], data: TreeNode, context: RenderContext): string {
  const out: string[] = [];
  renderNodes(nodes, { node: data, outer: undefined, index: 1, count: 1 }, context, out);
  return out.join('');
}

function renderNodes(nodes: readonly TemplateNode[], scope: Scope, context: RenderContext, out: string[]): void {
  for (const node of nodes) {
    if (typeof node === 'string') {
      out.push(node);
      continue;
    }
    switch (node.kind) {
      case 'field':
        out.push(node.wrap(fieldText(scope, node.path, node.formats, context.writing)));
        break;
      case 'image':
        out.push(node.wrap(context.image(find(scope, node.path), node)));
        break;
      case 'counter':
        out.push(String(context.counter()));
        break;
      case 'section':
        context.signal.throwIfAborted();
        for (const inner of sectionScopes(scope, node.path, node)) renderNodes(node.nodes, inner, context, out);
        break;
      case 'element': {
        const content: string[] = [];
        renderNodes(node.nodes, scope, context, content);
        out.push(node.finish(content.join('')));
        break;
      }
    }
  }
}
