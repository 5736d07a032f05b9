import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const watchSettleSeconds = defineSetting(
  'WatchSettleSeconds',
  f.integer({
    doc: 'For how many seconds a file must have stayed as it is before a watch takes it, where others write piece by piece (local folders, sFTP).',
  }),
  5,
);
export const watchFilesMax = defineSetting(
  'WatchFilesMax',
  f.integer({ doc: 'The most files that one watch takes; the rest waits for the next.' }),
  1_000,
);
export const watchLeaseSeconds = defineSetting(
  'WatchLeaseSeconds',
  f.integer({
    doc: 'After how many seconds without a step a file that a watch works on may be taken over by another, because the first was cut off.',
  }),
  300,
);

export const settings = [watchSettleSeconds, watchFilesMax, watchLeaseSeconds] as const;
