import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const letterRetryHours = defineSetting(
  'LetterRetryHours',
  f.integer({ doc: 'For how many hours a mailing that the mail house defers is retried, with growing delays.' }),
  24,
  { range: [0, 720] },
);
export const letterTrackHours = defineSetting(
  'LetterTrackHours',
  f.integer({ doc: 'After how many hours a letter on its way is checked with the mail house again; 0: never.' }),
  6,
  { range: [0, 720] },
);
export const letterTrackDays = defineSetting(
  'LetterTrackDays',
  f.integer({ doc: 'For how many days after its submission a letter is checked with the mail house.' }),
  60,
  { range: [1, 730] },
);

export const settings = [letterRetryHours, letterTrackHours, letterTrackDays] as const;
