import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { checkMailbox } from './lib/check-mailbox.ts';
import { mailboxColumns, type StoredMailbox } from './lib/stored-mail-inbounds.ts';
import { mailInbound } from './mailinbound.record.ts';

export const checks = [
  defineCheck({
    on: mailInbound,
    doc:
      "Requires a name, the options of the mailbox's receiver and no others, and an address that may be " +
      'connected to. Secrets are stored encrypted and must be sent again with another address. A new mailbox ' +
      'receives mail from now on unless Since says otherwise.',
    async run(ctx, { values, id }) {
      const [before] =
        id === undefined
          ? []
          : await ctx.db.query<StoredMailbox>(
              `select ${mailboxColumns} from mailinbound where mailinboundid = $1::bigint`,
              [id],
            );
      checkMailbox(ctx, values, before);
    },
  }),
];

export const reactions = [
  defineReaction({
    on: mailInbound,
    after: ['insert', 'update', 'delete'],
    doc: 'Writes changes of mailboxes to the security log.',
    async run(ctx, row, change, changed) {
      await ctx.security({
        event: 'MailInboundChanged',
        object: 'MailInbound',
        objectId: row.MailInboundID,
        detail: `${change}: ${[...changed].sort().join(', ')}`.slice(0, 400),
      });
    },
  }),
];
