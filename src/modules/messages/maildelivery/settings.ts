import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const mailRetryHours = defineSetting(
  'MailRetryHours',
  f.integer({ doc: 'For how many hours a mail that a server defers is retried, with growing delays.' }),
  48,
  { range: [0, 8760] },
);
export const mailMegabytesMax = defineSetting(
  'MailMegabytesMax',
  f.integer({ doc: 'The largest mail including its documents, in megabytes; most servers accept no more than 25.' }),
  20,
  { range: [1, 1000] },
);
export const mailDeliveryDays = defineSetting(
  'MailDeliveryDays',
  f.integer({
    doc: 'For how many days the results of mails are kept, and mails that were not sent; 0 keeps all.',
  }),
  90,
  { range: [0, 36_500] },
);

export const settings = [mailRetryHours, mailMegabytesMax, mailDeliveryDays] as const;
