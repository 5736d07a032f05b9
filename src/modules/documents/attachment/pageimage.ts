import type { ContentAnswer } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { documentAsVersion } from './lib/document-versions.ts';
import { THUMBNAIL_PIXELS } from './lib/image-rows.ts';
import { pageImage } from './lib/page-image.ts';
import { servedErrors } from './lib/scan/scan-gate.ts';

/** The widths of images in pixels: in lists, to read, and to look closely. */
const WIDTHS: readonly number[] = [THUMBNAIL_PIXELS, 900, 1600];

export const operation = defineOperation({
  module: 'attachment',
  name: 'PageImage',
  method: 'GET',
  summary:
    'Returns a page of a PDF or TIFF file, or a picture, as a WebP image. Nothing in the file can act in a browser ' +
    'that shows it.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  // It shows what is in the file.
  permission: 'AttachmentDownload',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The document.' })),
    PageNumber: f.integer({ doc: 'The page, from 1; by default the first.' }),
    Width: f.integer({ doc: 'The width in pixels: 240, 900 (the default) or 1600. Small pictures have fewer.' }),
    Version: f.integer({ doc: 'An earlier version of the file, by its number; by default the present one.' }),
  },
  transactions: 'own',
  returns: 'content',
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'STATE_REFUSES', 'UNAVAILABLE', ...servedErrors],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { PageNumber, Width, Version }): Promise<ContentAnswer> => {
  const page = PageNumber ?? 1;
  const width = Width ?? 900;
  if (page < 1) throw bad('PageNumber', 'a page, from 1');
  if (!WIDTHS.includes(width)) throw bad('Width', WIDTHS.join(', '));
  const present = namedRow(ctx, ctx.record);
  // Of a sealed file no earlier version is drawn either: it may contain the same numbers.
  const document = present.Sealed === true ? present : await documentAsVersion(ctx, present, Version);
  const bytes = await pageImage(ctx, document, { page, width });
  return {
    kind: 'content',
    mime: 'image/webp',
    disposition: 'inline',
    fileName: `${document.AttachmentID}-${page}.webp`,
    tag: `${document.FileHash}-${page}-${width}`,
    length: bytes.length,
    bytes,
  };
});
