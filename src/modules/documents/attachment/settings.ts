import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const uploadMegabytesMax = defineSetting(
  'UploadMegabytesMax',
  f.integer({
    doc: 'The largest file that can be uploaded in chunks, in megabytes.',
  }),
  2_047,
  { range: [0, 2047] },
);
export const uploadsOpenMax = defineSetting(
  'UploadsOpenMax',
  f.integer({ doc: 'How many unfinished uploads one user may have.' }),
  100,
  { range: [0, 1_000_000] },
);
export const uploadHours = defineSetting(
  'UploadHours',
  f.integer({
    doc: 'How many hours after its last chunk an upload is removed. An unfinished one is then lost.',
  }),
  24,
  { range: [0, 8760] },
);

export const settings = [uploadMegabytesMax, uploadsOpenMax, uploadHours] as const;
