import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const diskWarningPercent = defineSetting(
  'DiskWarningPercent',
  f.integer({ doc: 'Used share of a disk of stored files, in percent, from which on the health report warns of it.' }),
  85,
  { range: [1, 100] },
);
export const diskFailedPercent = defineSetting(
  'DiskFailedPercent',
  f.integer({ doc: 'Used share of a disk of stored files, in percent, from which on the health report fails it.' }),
  95,
  { range: [1, 100] },
);

export const settings = [diskWarningPercent, diskFailedPercent] as const;
