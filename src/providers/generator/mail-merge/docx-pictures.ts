/** Pictures in a Word document: their markup, and the files and relationships that it needs. */
import type { TreeNode } from '../../../kernel/door/answer.ts';
import { escapeAttribute } from './markup.ts';
import { pictureOf, shownSize, type Picture, type Pictures } from './pictures.ts';
import type { ImageTag } from './render.ts';

const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
/** Units in which Word measures drawings, per point. */
const UNITS_PER_POINT = 12_700;

/** The pictures of one part of a document. */
export class PartPictures {
  private readonly shown = new Map<number, Picture>();
  private readonly pictures: Pictures;
  private readonly counter: () => number;

  constructor(pictures: Pictures, counter: () => number) {
    this.pictures = pictures;
    this.counter = counter;
  }

  /** Returns the markup of a picture within a run; '' if the field is empty. */
  markup(node: TreeNode | undefined, tag: ImageTag): string {
    const picture = pictureOf(this.pictures, node, tag);
    if (!picture) return '';
    this.shown.set(picture.id, picture);
    const size = shownSize(picture, tag);
    const [cx, cy] = [size.width, size.height].map((points) => Math.max(1, Math.round(points * UNITS_PER_POINT)));
    const name = escapeAttribute(picture.fileName);
    const id = this.counter();
    return (
      `<w:drawing><wp:inline xmlns:wp="${DRAWING}/wordprocessingDrawing" distT="0" distB="0" distL="0" distR="0">` +
      `<wp:extent cx="${cx}" cy="${cy}"/><wp:docPr id="${id}" name="Picture ${id}" descr="${name}"/>` +
      `<a:graphic xmlns:a="${DRAWING}/main"><a:graphicData uri="${DRAWING}/picture">` +
      `<pic:pic xmlns:pic="${DRAWING}/picture"><pic:nvPicPr><pic:cNvPr id="${id}" name="${name}"/><pic:cNvPicPr/>` +
      `</pic:nvPicPr><pic:blipFill><a:blip xmlns:r="${RELATIONSHIPS}" r:embed="${relationshipId(picture)}"/>` +
      `<a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/>` +
      `<a:ext cx="${cx}" cy="${cy}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic>` +
      `</a:graphicData></a:graphic></wp:inline></w:drawing>`
    );
  }

  /** The files of the pictures that were written, by name in the package. */
  files(): ReadonlyMap<string, Buffer> {
    return new Map([...this.shown.values()].map((picture) => [fileName(picture), picture.bytes]));
  }

  /** Returns the relationships of the part with those of its pictures; undefined if nothing changes. */
  relationships(stored: string | undefined): string | undefined {
    if (this.shown.size === 0) return undefined;
    const own = [...this.shown.values()]
      .map(
        (picture) =>
          `<Relationship Id="${relationshipId(picture)}" Type="${RELATIONSHIPS}/image" ` +
          `Target="/${fileName(picture)}"/>`,
      )
      .join('');
    const empty = `<Relationships xmlns="${PACKAGE}/relationships"></Relationships>`;
    return withinRoot(stored ?? empty, own);
  }

  /** Returns the list of content types with the kinds of these pictures. */
  contentTypes(stored: string): string {
    const missing = new Map(
      [...this.shown.values()]
        .filter(({ extension }) => !new RegExp(`\\bExtension="${extension}"`, 'i').test(stored))
        .map(({ extension, mime }) => [extension, mime]),
    );
    const added = [...missing].map(([extension, mime]) => `<Default Extension="${extension}" ContentType="${mime}"/>`);
    return added.length === 0 ? stored : withinRoot(stored, added.join(''));
  }
}

function relationshipId({ id }: Picture): string {
  return `document${id}`;
}

function fileName({ id, extension }: Picture): string {
  return `word/media/document${id}.${extension}`;
}

/** Adds elements at the end of the root element. */
function withinRoot(xml: string, elements: string): string {
  if (/<\/[\w:]+>\s*$/.test(xml)) return xml.replace(/(<\/[\w:]+>\s*)$/, `${elements}$1`);
  return xml.replace(/<([\w:]+)([^<>]*?)\/>\s*$/, `<$1$2>${elements}</$1>`);
}
