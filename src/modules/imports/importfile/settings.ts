import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const importMegabytesMax = defineSetting(
  'ImportMegabytesMax',
  f.integer({ doc: 'Largest file that can be imported, in megabytes.' }),
  4096,
  { range: [0, 1_000_000] },
);

export const stagingTableDays = defineSetting(
  'StagingTableDays',
  f.integer({
    doc:
      'Days after a bulk import for which the staging table created for its file is kept. Tables named by an ' +
      'import type are never removed.',
  }),
  7,
  { range: [0, 36_500] },
);

export const importFailuresMax = defineSetting(
  'ImportFailuresMax',
  f.integer({
    doc:
      'Failed rows after which an import stops if its import type has no FailureThreshold; 0: it never stops for ' +
      'failed rows. Saved records remain.',
  }),
  100_000,
  { range: [0, 2_147_483_647] },
);

export const importLogRowsMax = defineSetting(
  'ImportLogRowsMax',
  f.integer({
    doc:
      'Rows of an imported file that each get a row in the import log. Of the rows after them, the log has failures ' +
      'and warnings, and the number of the others.',
  }),
  1_000_000,
  { range: [0, 2_147_483_647] },
);

export const settings = [importMegabytesMax, stagingTableDays, importFailuresMax, importLogRowsMax] as const;
