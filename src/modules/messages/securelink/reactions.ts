import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { secureLink } from './securelink.record.ts';

export const checks = [
  defineCheck({
    on: secureLink,
    doc: 'Secure links are created when a message is sent, not by saves.',
    run(_ctx, { values, id }) {
      if (id === undefined || values.Status !== undefined || values.SecureLink !== undefined)
        throw new PlatformError('STATE_REFUSES', {
          message: 'Secure links are created when a message is sent, and changed only by securelink/revoke.',
        });
    },
  }),
];
