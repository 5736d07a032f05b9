import { defineCheck, defineGuard, type CheckedSave } from '../../../kernel/declare/reaction.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { messageRecipient } from './messagerecipient.record.ts';

type SavedRecipient = CheckedSave<typeof messageRecipient>;

export const checks = [
  defineCheck({
    on: messageRecipient,
    doc:
      'The platform records what became of a message at a recipient: a save only deactivates a recipient. Of a ' +
      'message that was sent or received, the recipients stay as they are.',
    async run(ctx, save) {
      assertStatus(save);
      await assertNotSent(ctx, save);
    },
  }),
];

/** SQL: the message `m` was received, or sent to the recipient `r`. */
const IS_FINAL = '(r.sentdate is not null or r.maildeliveryid is not null or m.mailinboundid is not null)';

export const guards = [
  defineGuard({
    on: messageRecipient,
    doc: 'A recipient of a message that was sent or received is not deleted: it is evidence of who got the message.',
    decidesBy: 'record',
    changes: ['delete'],
    async before(ctx, { id }) {
      const [row] = await ctx.db.query(
        `select 1 from messagerecipient r join message m on m.messageid = r.messageid
         where r.messagerecipientid = $1::bigint and (r.maildeliveryid is not null or m.mailinboundid is not null
           or m.sentdate is not null and r.status is not null)`,
        [id],
      );
      if (row)
        throw new PlatformError('STATE_REFUSES', {
          field: 'ID',
          message:
            'ID: the message was sent or received, so its recipients cannot be deleted; to send it no more to this ' +
            'one, set Status to Inactive.',
        });
    },
  }),
];

function assertStatus({ values }: SavedRecipient): void {
  if ((values.Status ?? 'Inactive') === 'Inactive') return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'Status',
    message: 'Status: expected Inactive, or nothing; the platform records what became of the message.',
  });
}

/** The columns that say to whom a message went. */
const ADDRESS_COLUMNS = ['MessageRecipient', 'MessageID', 'Category', 'PersonID'] as const;

interface StoredRecipient {
  readonly isFinal: boolean | null;
  readonly MessageRecipient: string | null;
  readonly MessageID: number | null;
  readonly Category: number | null;
  readonly PersonID: number | null;
}

/** An unsubscribe link blocks the address of its recipient, and answers of recipients file mails. */
async function assertNotSent(ctx: Context, { values, id }: SavedRecipient): Promise<void> {
  const isReactivated = id !== undefined && values.Status === null;
  if (!isReactivated && ADDRESS_COLUMNS.every((name) => values[name] === undefined)) return;
  const [row] = await ctx.db.query<StoredRecipient>(
    `select ${IS_FINAL} as "isFinal", r.messagerecipient as "MessageRecipient", r.messageid as "MessageID",
       r.category as "Category", r.personid as "PersonID"
     from message m left join messagerecipient r on r.messagerecipientid = $2::bigint
     where m.messageid = coalesce((select messageid from messagerecipient where messagerecipientid = $2::bigint),
       $1::bigint)`,
    [values.MessageID ?? null, id ?? null],
  );
  if (row?.isFinal !== true) return;
  const changed = ADDRESS_COLUMNS.find((name) => values[name] !== undefined && values[name] !== row[name]);
  const field = changed ?? (isReactivated ? 'Status' : undefined);
  if (field === undefined) return;
  throw new PlatformError('STATE_REFUSES', {
    field,
    message:
      `${field}: the message was sent or received, so its recipients cannot be changed; send it to others with ` +
      'message/send.',
  });
}
