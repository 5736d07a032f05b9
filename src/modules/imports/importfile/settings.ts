import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const importMegabytesMax = defineSetting(
  'ImportMegabytesMax',
  f.integer({ doc: 'Largest file that can be imported, in megabytes.' }),
  4096,
);

export const stagingTableDays = defineSetting(
  'StagingTableDays',
  f.integer({
    doc:
      'Days after a bulk import for which the staging table created for its file is kept. Tables named by an ' +
      'import type are never removed.',
  }),
  7,
);

export const settings = [importMegabytesMax, stagingTableDays] as const;
