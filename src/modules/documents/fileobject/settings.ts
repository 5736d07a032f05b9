import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const watchSettleSeconds = defineSetting(
  'WatchSettleSeconds',
  f.integer({
    doc:
      'How many seconds a file must be unchanged before a watch takes it, where files appear while they ' +
      'are still being written (local folders, sFTP).',
  }),
  5,
  { range: [0, 86_400] },
);
export const watchUnsettledMinutes = defineSetting(
  'WatchUnsettledMinutes',
  f.integer({
    doc: 'After how many minutes a file that keeps changing is reported to operators, because no watch takes it.',
  }),
  60,
  { range: [0, 525_600] },
);
export const watchFilesMax = defineSetting(
  'WatchFilesMax',
  f.integer({ doc: 'Most files that one watch takes; the rest wait for the next.' }),
  1_000,
  { range: [0, 1_000_000] },
);
export const watchLeaseSeconds = defineSetting(
  'WatchLeaseSeconds',
  f.integer({
    doc:
      'After how many seconds without progress another watch may take over a file, because the first was ' +
      'interrupted.',
  }),
  300,
  { range: [0, 86_400] },
);

export const settings = [watchSettleSeconds, watchUnsettledMinutes, watchFilesMax, watchLeaseSeconds] as const;
