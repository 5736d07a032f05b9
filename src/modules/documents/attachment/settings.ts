import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const uploadMegabytesMax = defineSetting(
  'UploadMegabytesMax',
  f.integer({
    doc: 'The largest file that can be uploaded in chunks, in megabytes; 2047 is the most that a document can have.',
  }),
  2_047,
);
export const uploadsOpenMax = defineSetting(
  'UploadsOpenMax',
  f.integer({ doc: 'How many uploads that are not finished one user may have.' }),
  100,
);
export const uploadHours = defineSetting(
  'UploadHours',
  f.integer({
    doc: 'How many hours after its last chunk an upload is forgotten: one that is not finished is lost then.',
  }),
  24,
);

export const settings = [uploadMegabytesMax, uploadsOpenMax, uploadHours] as const;
