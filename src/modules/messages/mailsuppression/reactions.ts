import { isMailAddress } from '../../../contracts/mail-validation.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { mailSuppression } from './mailsuppression.record.ts';

export const checks = [
  defineCheck({
    on: mailSuppression,
    doc: 'A blocked address is an email address, stored in lower case.',
    run(_ctx, { values, id }) {
      if (id !== undefined && values.MailSuppression === undefined) return;
      const address = (values.MailSuppression ?? '').trim().toLowerCase();
      if (!isMailAddress(address)) throw bad('MailSuppression', 'an email address such as name@example.com');
      values.MailSuppression = address;
    },
  }),
];
