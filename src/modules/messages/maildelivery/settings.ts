import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const mailRetryHours = defineSetting(
  'MailRetryHours',
  f.integer({ doc: 'For how many hours an email that a server defers is retried, with growing delays.' }),
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
    doc: 'For how many days the results of emails are kept, and emails that were not sent; 0 keeps all.',
  }),
  90,
  { range: [0, 36_500] },
);

const domainFormat = {
  expected: 'the name of a domain, such as bounces.example.com',
  fits: (text: string) =>
    /^(?=.{1,190}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/i.test(text),
};
export const bounceDomain = defineSetting(
  'BounceDomain',
  f.text({
    doc:
      'The domain of return paths: mail that cannot be delivered returns to an address there that names the ' +
      'recipient. A mailbox must receive all mail of the domain. Empty: it returns to the sender.',
    max: 190,
    exact: true,
  }),
  '',
  { format: domainFormat },
);
export const replyDomain = defineSetting(
  'ReplyDomain',
  f.text({
    doc:
      'The domain of reply addresses: answers arrive at an address there that names the message they answer. A ' +
      'mailbox must receive all mail of the domain. Empty: answers go to the sender.',
    max: 190,
    exact: true,
  }),
  '',
  { format: domainFormat },
);

export const requestReadReceipts = defineSetting(
  'RequestReadReceipts',
  f.boolean({
    doc:
      'Whether messages to people ask mail programs for a read receipt, which goes to the return path. Requires ' +
      'BounceDomain. Many programs ask their user first, or send none.',
  }),
  false,
);

export const settings = [
  mailRetryHours,
  mailMegabytesMax,
  mailDeliveryDays,
  bounceDomain,
  replyDomain,
  requestReadReceipts,
] as const;
