import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { mailReceipt } from './mailreceipt.record.ts';

export const checks = [
  defineCheck({
    on: mailReceipt,
    doc: 'Received mail is recorded by message/receive, not by saves.',
    run(_ctx, { values, id }) {
      if (id === undefined || values.Status !== undefined || values.MailReceipt !== undefined)
        throw new PlatformError('STATE_REFUSES', {
          message: 'Received mail is recorded by message/receive, and changed only by mailreceipt/retry.',
        });
    },
  }),
];
