import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const mailRetryHours = defineSetting(
  'MailRetryHours',
  f.integer({ doc: 'For how many hours a mail that a server puts off is tried again, with growing waits.' }),
  48,
);
export const mailMegabytesMax = defineSetting(
  'MailMegabytesMax',
  f.integer({ doc: 'The largest mail with its documents, in megabytes; most servers take no more than 25.' }),
  20,
);
export const mailDeliveryDays = defineSetting(
  'MailDeliveryDays',
  f.integer({
    doc: 'For how many days it is kept what came of a mail, and the mail itself where it was not sent; 0 keeps all.',
  }),
  90,
);

export const settings = [mailRetryHours, mailMegabytesMax, mailDeliveryDays] as const;
