import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { checkAccount } from './lib/check-account.ts';
import { mailServerColumns, type StoredMailServer } from './lib/stored-mail-outbounds.ts';
import { mailOutbound } from './mailoutbound.record.ts';

export const checks = [
  defineCheck({
    on: mailOutbound,
    doc:
      "Requires a name, the options of the server's kind and no others, and an address that may be " +
      'connected to. Secrets are stored encrypted and must be sent again with another address.',
    async run(ctx, { values, id }) {
      const [before] =
        id === undefined
          ? []
          : await ctx.db.query<StoredMailServer>(
              `select ${mailServerColumns} from mailoutbound where mailoutboundid = $1::bigint`,
              [id],
            );
      checkAccount(ctx, values, before);
    },
  }),
];

export const reactions = [
  defineReaction({
    on: mailOutbound,
    after: ['insert', 'update', 'delete'],
    doc: 'Writes changes of mail servers to the security log.',
    async run(ctx, row, change, changed) {
      await ctx.security({
        event: 'MailOutboundChanged',
        object: 'MailOutbound',
        objectId: row.MailOutboundID,
        detail: `${change}: ${[...changed].sort().join(', ')}`.slice(0, 400),
      });
    },
  }),
];
