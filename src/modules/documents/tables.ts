/** Tables of this area that belong to no record type. */
export const tables = [
  'documentimage',
  'deliverynotice',
  'documentpage',
  'documentrendition',
  'documentscan',
  'documenttext',
  'documentversion',
  'documentword',
  'expectedfile',
  'fileremoval',
  'upload',
  'watchedfile',
] as const;
