import { MAIL_OUTBOUND, type RecipientOutcome } from '../../../contracts/mail-outbound.ts';
import { assertMail } from '../../../contracts/mail-validation.ts';
import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { notFound } from '../../../kernel/records/search/read.ts';
import {
  recordDataBegun,
  claimMail,
  SEND_SECONDS_MAX,
  mailStatus,
  queueDelivery,
  type MailClaim,
} from './lib/claim.ts';
import { attachedDocuments, openContent, PASSING_FAILURES, senderOf } from './lib/mail-content.ts';
import { recordLost, recordOutcome } from './lib/record-outcome.ts';

export const operation = defineOperation({
  module: 'maildelivery',
  name: 'Deliver',
  method: 'POST',
  summary:
    'Sends a mail that is due. Queued by the platform; extra calls are harmless. Fails if the mail was ' +
    'given up, or if it is unknown whether it was sent, so that the call becomes a dead letter.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: { own: 'Claiming the mail is one statement, and only without a claim is it read whether the mail exists.' },
  params: { ID: required(f.id({ doc: 'The delivery.' })) },
  transactions: 'own',
  returns: {
    MailDeliveryID: required(f.id({ doc: 'The delivery.' })),
    Status: required(f.text({ doc: 'Its current status.' })),
  },
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: '1-core §2, IMailOutbound',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const answer = (Status: string) => item('MailDelivery', operation.returns, { MailDeliveryID: ID, Status });
  const claim = await claimMail(ctx, ID);
  if (!claim) return answer(await statusOfUnclaimed(ctx, ID));
  // Without a name, the present default.
  const server = claim.provider ?? ctx.providers.names(MAIL_OUTBOUND)[0];
  const { status, needsAttention, error } = await recordOutcome(
    ctx,
    claim,
    server,
    await attemptSend(ctx, claim, server),
  );
  if (needsAttention) throw attentionError(ID, status, error);
  return answer(status);
});

/**
 * Returns the status of a mail that could not be claimed. Queues another attempt if it is being sent or not due;
 * records it as unknown if its process died while sending.
 */
async function statusOfUnclaimed(ctx: Context, id: number): Promise<string> {
  const found = await mailStatus(ctx, id);
  if (!found) throw notFound(ctx.record, id);
  if (found.isLost && (await recordLost(ctx, id))) throw attentionError(id, 'Unknown', null);
  if (found.at !== null && !found.isLost)
    await ctx.inTransaction((own) => queueDelivery(own, id, found.at ?? undefined));
  return found.status;
}

function attentionError(id: number, status: string, error: string | null): PlatformError {
  const what =
    status === 'Unknown'
      ? 'it is unknown whether it was sent; maildelivery/sendagain sends it once more'
      : 'it was not sent, and no further attempt is made';
  return new PlatformError('STATE_REFUSES', {
    message: `Mail ${id}: ${what}.${error === null ? '' : ` ${error.replace(/\S+@\S+/g, '…')}`}`,
  });
}

/** Makes one attempt, outside any transaction. A failure before the transmission postpones the mail. */
async function attemptSend(
  ctx: Context,
  claim: MailClaim,
  server: string | undefined,
): Promise<readonly RecipientOutcome[]> {
  const onlyTo = claim.recipients.filter(({ Status }) => Status === 'Waiting').map(({ Address }) => Address);
  const all = (status: RecipientOutcome['status'], detail: string): RecipientOutcome[] =>
    onlyTo.map((address) => ({ address, status, detail: detail.slice(0, 300) }));
  if (claim.content === null) return all('refused', 'the mail itself is no longer stored');
  let ifRefused: RecipientOutcome['status'] = 'refused';
  try {
    const outbound = ctx.providers.get(MAIL_OUTBOUND, server);
    const { attachmentIds, from, ...content } = openContent(ctx.cipher, claim.content);
    const attachments = await attachedDocuments(ctx, attachmentIds);
    const mail = {
      ...content,
      from: senderOf(from, outbound.from),
      attachments,
      onlyTo,
      messageId: claim.messageId,
      date: claim.createdDate,
    };
    assertMail(mail);
    // Of a valid mail only a setting can be refused, such as the networks that may be connected to: it can be changed.
    ifRefused = 'later';
    return await outbound.send(mail, {
      signal: AbortSignal.timeout(SEND_SECONDS_MAX * 1_000),
      beforeData: async () => {
        await recordDataBegun(ctx, claim);
        ifRefused = 'unknown';
      },
    });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code === 'CONCURRENT_CHANGE') throw error;
    if (error.code === 'BAD_PARAMETER') return all(ifRefused, error.message);
    // A missing server can be configured; a deleted document or an invalid address cannot be fixed.
    return all(PASSING_FAILURES.has(error.code) ? 'later' : 'refused', error.message);
  }
}
