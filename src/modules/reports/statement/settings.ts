import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const statementCostMax = defineSetting(
  'StatementCostMax',
  f.integer({
    doc:
      'Highest cost of a saved statement, in the units that the database estimates before running it: about 1 for ' +
      'each eight kilobytes read in order, 100 for each 10,000 rows. A statement above it is refused.',
  }),
  20_000_000,
  { range: [0, 2_147_483_647] },
);
export const statementMegabytesMax = defineSetting(
  'StatementMegabytesMax',
  f.integer({
    doc:
      'Most megabytes that the database may have to hold at once for the lists and texts that a saved statement ' +
      'collects (array_agg, string_agg, json_agg and their kind), as it estimates before running it.',
  }),
  256,
  { range: [0, 1_000_000] },
);
export const statementRecursiveSecondsMax = defineSetting(
  'StatementRecursiveSecondsMax',
  f.integer({
    doc:
      'Longest run in seconds of a saved statement that calls itself (WITH RECURSIVE), whose cost cannot be ' +
      'estimated.',
  }),
  5,
  { range: [0, 3600] },
);

export const settings = [statementCostMax, statementMegabytesMax, statementRecursiveSecondsMax] as const;
