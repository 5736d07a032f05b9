/** Pictures in merged documents: documents that the data name. */
import type { FileContent } from '../../../contracts/file-content.ts';
import type { DocumentData } from '../../../contracts/generator.ts';
import type { TreeNode } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { pictureSize } from '../../../lib/picture-size.ts';
import type { ImageTag } from './render.ts';
import type { ImageSize } from './tag.ts';
import { namesDocument, type TemplateNode } from './template.ts';
import { find } from './values.ts';

/** A picture, read. */
export interface Picture {
  readonly id: number;
  readonly mime: string;
  /** Without a point. */
  readonly extension: string;
  readonly fileName: string;
  readonly bytes: Buffer;
  /** Its natural size in points. */
  readonly width: number;
  readonly height: number;
}

/** Pictures by the ID of their document. */
export type Pictures = ReadonlyMap<number, Picture>;

/** Extensions of the kinds of pictures that every word processor and browser shows. */
const EXTENSIONS: Readonly<Record<string, string>> = { 'image/png': 'png', 'image/jpeg': 'jpeg', 'image/gif': 'gif' };
/** Most different pictures in a document, and most bytes of all of them: they are held in memory. */
const PICTURES_MAX = 200;
const BYTES_MAX = 64 * 1024 * 1024;
/** Browsers and word processors count 96 pixels per inch; a point is 1/72 inch. */
const POINTS_PER_PIXEL = 0.75;
/** What pictures are read from. */
export interface PictureSource {
  readonly document: Extract<DocumentData, { readonly kind: 'tree' }>['document'];
  readonly signal: AbortSignal;
}

/** What fits on a page with usual margins, in points. */
const PAGE: Required<ImageSize> = { width: 468, height: 648 };

/** Whether a template shows pictures. */
export function showsPictures(nodes: readonly TemplateNode[]): boolean {
  return nodes.some(
    (node) => typeof node === 'object' && (node.kind === 'image' || ('nodes' in node && showsPictures(node.nodes))),
  );
}

/**
 * Reads the pictures that a document shows. `visit` writes the document and passes each of its pictures on.
 * @throws TOO_LARGE; STATE_REFUSES for a document that is no picture; NOT_FOUND for one that the caller cannot see
 */
export async function readPictures(
  visit: (image: (node: TreeNode | undefined, tag: ImageTag) => '') => void,
  source: PictureSource,
): Promise<Pictures> {
  const names = new Map<number, string>();
  visit((node, { path }) => {
    const id = documentId(node, path);
    if (id !== undefined) names.set(id, path.join('.'));
    if (names.size > PICTURES_MAX) throw tooLarge(`more than ${PICTURES_MAX} different pictures`);
    return '';
  });
  const pictures = new Map<number, Picture>();
  let total = 0;
  for (const [id, name] of names) {
    source.signal.throwIfAborted();
    const file = await source.document(id);
    total += file.size;
    if (total > BYTES_MAX) throw tooLarge(`pictures of more than ${BYTES_MAX} bytes`);
    pictures.set(id, await readPicture(file, id, name));
  }
  return pictures;
}

async function readPicture(file: FileContent, id: number, name: string): Promise<Picture> {
  const extension = EXTENSIONS[file.mime];
  const bytes: Buffer = extension === undefined ? Buffer.alloc(0) : await contentOf(file);
  const size = pictureSize(bytes);
  if (extension === undefined || size?.mime !== file.mime)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ObjectID',
      message:
        `ObjectID: document ${id}, which {%${name}} shows, is ${extension === undefined ? file.mime : 'damaged'}; ` +
        'expected a picture in PNG, JPEG or GIF.',
    });
  return {
    id,
    mime: file.mime,
    extension,
    fileName: file.fileName,
    bytes,
    width: size.width * POINTS_PER_PIXEL,
    height: size.height * POINTS_PER_PIXEL,
  };
}

async function contentOf(file: FileContent): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of file.open()) pieces.push(piece);
  return Buffer.concat(pieces);
}

function tooLarge(what: string): PlatformError {
  return new PlatformError('TOO_LARGE', { message: `The document would show ${what}.` });
}

/** Returns the picture of a tag; undefined if its field is empty. */
export function pictureOf(pictures: Pictures, node: TreeNode | undefined, { path }: ImageTag): Picture | undefined {
  const id = documentId(node, path);
  return id === undefined ? undefined : pictures.get(id);
}

/** Returns the ID of the document that a field, or the linked record or item there, names. */
function documentId(node: TreeNode | undefined, path: readonly string[]): number | undefined {
  if (node?.children) {
    if (node.children.length === 0) return undefined;
    return documentId(find({ node, outer: undefined, index: 1, count: 1 }, ['AttachmentID']), path);
  }
  const value = node?.value;
  if (node === undefined || value === null || value === undefined || value === '') return undefined;
  const id = Number(value);
  if (!namesDocument(node.name, node.field) || !Number.isSafeInteger(id))
    throw new PlatformError('BAD_TEMPLATE', {
      message: `{%${path.join('.')}} is not a picture: its field does not name a document. Expected a link to one.`,
    });
  return id;
}

/** Returns the size in points at which a picture is shown: as the tag has it, in proportion; at most a page. */
export function shownSize({ width, height }: Picture, { size }: ImageTag): Required<ImageSize> {
  if (size.width !== undefined && size.height !== undefined) return { width: size.width, height: size.height };
  const enlargement =
    size.width === undefined && size.height === undefined
      ? 1
      : Math.max((size.width ?? 0) / width, (size.height ?? 0) / height);
  const scale = Math.min(enlargement, PAGE.width / width, PAGE.height / height);
  return { width: width * scale, height: height * scale };
}
