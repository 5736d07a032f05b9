import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const importMegabytesMax = defineSetting(
  'ImportMegabytesMax',
  f.integer({ doc: 'The largest file that can be sent to be imported, in megabytes.' }),
  4096,
);

/** How long what a bulk import has loaded for itself alone stays. */
export const stagingTableDays = defineSetting(
  'StagingTableDays',
  f.integer({
    doc: 'For how many days after a bulk import the staging table stays that was made for its file alone; tables that a template names stay.',
  }),
  7,
);

export const settings = [importMegabytesMax, stagingTableDays] as const;
