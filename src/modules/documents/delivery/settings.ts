import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const letterRetryHours = defineSetting(
  'LetterRetryHours',
  f.integer({ doc: 'Hours during which a mailing that the mail house defers is retried, with growing delays.' }),
  24,
  { range: [0, 720] },
);
export const letterTrackHours = defineSetting(
  'LetterTrackHours',
  f.integer({ doc: 'Hours after which a letter in transit is checked with the mail house again; 0: never.' }),
  6,
  { range: [0, 720] },
);
export const letterTrackDays = defineSetting(
  'LetterTrackDays',
  f.integer({ doc: 'Days after its submission during which a letter is checked with the mail house.' }),
  60,
  { range: [1, 730] },
);

export const settings = [letterRetryHours, letterTrackHours, letterTrackDays] as const;
