import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { checkMailHouse } from './lib/check-mail-house.ts';
import { mailHouseColumns, type StoredMailHouse } from './lib/stored-mail-houses.ts';
import { mailHouse } from './mailhouse.record.ts';

export const checks = [
  defineCheck({
    on: mailHouse,
    doc:
      "Requires a unique and unchanging name, the options of the mail house's kind and no others, and an address " +
      'that may be connected to. Secrets are stored encrypted and must be sent again with other options.',
    async run(ctx, { values, id }) {
      const [before] =
        id === undefined
          ? []
          : await ctx.db.query<StoredMailHouse>(
              `select ${mailHouseColumns} from mailhouse where mailhouseid = $1::bigint`,
              [id],
            );
      checkMailHouse(ctx, values, before);
    },
  }),
];

export const reactions = [
  defineReaction({
    on: mailHouse,
    after: ['insert', 'update', 'delete'],
    doc: 'Writes changes of mail houses to the security log.',
    async run(ctx, row, change, changed) {
      await ctx.security({
        event: 'MailHouseChanged',
        object: 'MailHouse',
        objectId: row.MailHouseID,
        detail: `${change}: ${[...changed].sort().join(', ')}`.slice(0, 400),
      });
    },
  }),
  defineReaction({
    on: mailHouse,
    after: ['delete'],
    doc: 'Refuses to delete a mail house with letters that have no final state yet.',
    async run(ctx, row) {
      const [letter] = await ctx.db.query<{ id: number }>(
        `select deliveryid as id from delivery
         where mailhouse = $1::text and status in ('Queued', 'Unknown', 'Submitted', 'Mailed') limit 1`,
        [row.MailHouse],
      );
      if (letter)
        throw new PlatformError('IN_USE', {
          field: 'ID',
          message: `ID: letter ${letter.id}, and perhaps others, at this mail house has no final state yet.`,
          details: { Object: 'Delivery', ObjectID: letter.id },
        });
    },
  }),
];
