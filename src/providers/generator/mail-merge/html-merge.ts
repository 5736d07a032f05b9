/** Fills in a compiled HTML template. */
import type { TreeNode } from '../../../kernel/door/answer.ts';
import { escapeHtml, type HtmlTemplate } from './html-template.ts';
import { pictureOf, readPictures, showsPictures, shownSize, type Pictures, type PictureSource } from './pictures.ts';
import { renderTemplate, type ImageTag } from './render.ts';
import type { Writing } from './values.ts';

/** What filling in needs beside template and data. */
interface Merge extends PictureSource {
  readonly writing: Writing;
}

/** Returns a template filled in, with its pictures inside it. Throws what reading them throws. */
export async function mergeHtml({ nodes }: HtmlTemplate, tree: TreeNode, merge: Merge): Promise<string> {
  const { writing, signal } = merge;
  const counter = (): number => 0;
  const pictures = await readPictures((image) => {
    if (showsPictures(nodes)) renderTemplate(nodes, tree, { writing, signal, image, counter });
  }, merge);
  return renderTemplate(nodes, tree, {
    writing,
    signal,
    counter,
    image: (node, tag) => pictureMarkup(pictures, node, tag),
  });
}

function pictureMarkup(pictures: Pictures, node: TreeNode | undefined, tag: ImageTag): string {
  const picture = pictureOf(pictures, node, tag);
  if (!picture) return '';
  const { width, height } = shownSize(picture, tag);
  const data = `data:${picture.mime};base64,${picture.bytes.toString('base64')}`;
  const size = `width:${width.toFixed(1)}pt;height:${height.toFixed(1)}pt`;
  return `<img src="${data}" alt="${escapeHtml(picture.fileName)}" style="${size}">`;
}
