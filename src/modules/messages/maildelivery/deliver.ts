import { list } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { notFound } from '../../../kernel/records/search/read.ts';
import { mailStatus } from './lib/claim.ts';
import { sumUpMessages } from '../lib/outcome/recipient-outcomes.ts';
import { DeliveryRun } from './lib/delivery-run.ts';
import { MAILS_PER_CALL_MAX, queueDeliveries } from './lib/queue-deliveries.ts';
import { recordLost, type MailOutcome } from './lib/record-outcome.ts';

/** Most mails that an error names. */
const NAMED_MAX = 5;

const deliveries = {
  MailDeliveryID: required(f.id({ doc: 'The delivery.' })),
  Status: required(f.text({ doc: 'Its current status.' })),
};

export const operation = defineOperation({
  module: 'maildelivery',
  name: 'Deliver',
  method: 'POST',
  summary:
    'Sends emails and text messages that are due. Queued by the platform; extra calls are harmless. Fails if any was ' +
    'given up, or if it is unknown whether it was sent, so that the call becomes a dead letter.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: { own: 'Claiming emails is one statement, and only without a claim is it read whether an email exists.' },
  params: { ID: required(f.idList({ doc: 'The deliveries.', max: MAILS_PER_CALL_MAX })) },
  transactions: 'own',
  returns: 'list',
  rows: deliveries,
  answerName: 'Delivery',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: '1-core §2, IMailOutbound',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const sending = new DeliveryRun(ctx);
  const done: MailReport[] = [];
  try {
    const outcomes = await sending.deliver([...new Set(ID)]);
    for (const id of new Set(ID))
      done.push({ id, outcome: outcomes.get(id) ?? (await outcomeOfUnclaimed(ctx, id, sending.messages)) });
  } finally {
    const { messages } = sending;
    if (messages.size > 0) await ctx.inTransaction((own) => sumUpMessages(own, [...messages]));
  }
  const attention = done.filter(({ outcome }) => outcome.needsAttention);
  if (attention.length > 0) throw attentionError(attention);
  return list(
    'Delivery',
    deliveries,
    done.map(({ id, outcome }) => ({ MailDeliveryID: id, Status: outcome.status })),
  );
});

/** What a call reports of a mail. */
interface MailReport {
  readonly id: number;
  readonly outcome: Pick<MailOutcome, 'error' | 'needsAttention'> & { readonly status: string };
}

/**
 * Returns the status of a mail that could not be claimed. Queues another attempt if it is being sent or not due;
 * records it as unknown if its process died while sending.
 */
async function outcomeOfUnclaimed(ctx: Context, id: number, messages: Set<number>): Promise<MailReport['outcome']> {
  const found = await mailStatus(ctx, id);
  if (!found) throw notFound(ctx.record, id);
  // A call that recorded the outcome may have ended before it summed up the message.
  if (found.message !== null) messages.add(found.message);
  if (found.isLost && (await recordLost(ctx, id))) return { status: 'Unknown', error: null, needsAttention: true };
  const { at } = found;
  if (at !== null && !found.isLost) await ctx.inTransaction((own) => queueDeliveries(own, [id], at));
  return { status: found.status, error: null, needsAttention: false };
}

function attentionError(mails: readonly MailReport[]): PlatformError {
  const texts = mails.slice(0, NAMED_MAX).map(({ id, outcome: { status, error } }) => {
    const what =
      status === 'Unknown'
        ? 'it is unknown whether it was sent; maildelivery/sendagain sends it once more'
        : 'it was not sent, and no further attempt is made';
    return `Mail ${id}: ${what}.${error === null ? '' : ` ${error.replace(/\S+@\S+/g, '…')}`}`;
  });
  const more = mails.length > NAMED_MAX ? [`${mails.length - NAMED_MAX} more emails need attention.`] : [];
  return new PlatformError('STATE_REFUSES', { message: [...texts, ...more].join(' ') });
}
