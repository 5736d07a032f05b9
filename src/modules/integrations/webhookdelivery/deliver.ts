import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { outboundRules } from '../../../kernel/security/outbound.ts';
import { openText } from '../../../kernel/security/sealed-text.ts';
import { claimNext, claimOne, queueNextRun, queueDelivery, type DeliveryClaim } from './lib/claim.ts';
import { recordOutcome } from './lib/record-outcome.ts';
import { send } from './lib/send.ts';
import { signatureHeaders } from './lib/signature.ts';
import { webhookTimeoutSeconds } from './settings.ts';

/**
 * A call starts no more deliveries after this time and queues another call for the rest: a stopping worker waits at
 * most 30 seconds.
 */
const RUN_MILLISECONDS = 15_000;

export const operation = defineOperation({
  module: 'webhookdelivery',
  name: 'Deliver',
  method: 'POST',
  summary: 'Sends the due events of a webhook. Queued by the platform with each event; extra calls are harmless.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    WebhookID: required(f.id({ doc: 'The webhook.', to: 'Webhook' })),
    WebhookDeliveryID: f.id({ doc: 'Send only this delivery, at once: a ping.' }),
  },
  transactions: 'own',
  returns: {
    Delivered: required(f.integer({ doc: 'How many events the receiver accepted.' })),
    Failed: required(f.integer({ doc: 'How many attempts failed.' })),
  },
  answerName: 'Delivery',
  errors: [],
  source: 'docs/guides/integrators/webhooks.md',
});

interface DeliveryRun {
  readonly ctx: Context;
  readonly webhookId: number;
  readonly endsAt: number;
  delivered: number;
  failed: number;
}

export const run = handle(operation, async (ctx, { WebhookID, WebhookDeliveryID }) => {
  const state: DeliveryRun = {
    ctx,
    webhookId: WebhookID,
    endsAt: performance.now() + RUN_MILLISECONDS,
    delivered: 0,
    failed: 0,
  };
  if (WebhookDeliveryID) {
    const claim = await claimOne(ctx, WebhookDeliveryID);
    if (claim) await attemptDelivery(state, claim);
  } else if (await deliverInLane(state)) {
    await queueDelivery(ctx, WebhookID);
  } else {
    await queueNextRun(ctx, WebhookID);
  }
  return item('Delivery', operation.returns, { Delivered: state.delivered, Failed: state.failed });
});

/**
 * Sends deliveries one after the other until none is left to claim. The first one starts the next lane, until the
 * parallel limit gives it nothing: so as many lanes run as deliveries are due. Returns whether time ran out first.
 */
async function deliverInLane(state: DeliveryRun): Promise<boolean> {
  let beside: Promise<boolean> | undefined;
  let isOutOfTime = true;
  try {
    while (performance.now() < state.endsAt) {
      const claim = await claimNext(state.ctx, state.webhookId);
      if (!claim) {
        isOutOfTime = false;
        break;
      }
      beside ??= deliverInLane(state);
      // The failure is thrown below; without this it would end the process while this lane still sends.
      beside.catch(() => undefined);
      await attemptDelivery(state, claim);
    }
  } finally {
    if (await beside) isOutOfTime = true;
  }
  return isOutOfTime;
}

/** Makes one attempt, outside any transaction. */
async function attemptDelivery(state: DeliveryRun, claim: DeliveryClaim): Promise<void> {
  const { ctx } = state;
  const { cipher, clock, settings } = ctx;
  const secrets = [claim.secret, ...(claim.previousSecret === null ? [] : [claim.previousSecret])].map((sealed) =>
    openText(cipher, 'webhook', 'secret', sealed),
  );
  const headers =
    claim.headers === null
      ? []
      : (JSON.parse(openText(cipher, 'webhook', 'headers', claim.headers)) as [string, string][]);
  const [eventId, type, date] = [claim.eventId, claim.event, claim.eventDate].map((value) => JSON.stringify(value));
  const body = `{"id":${eventId},"type":${type},"timestamp":${date},"sequence":${claim.id},"data":${claim.data}}`;
  const signature = signatureHeaders(secrets, claim.eventId, Math.floor(clock.milliseconds() / 1000), body);
  const sent = await send({
    url: claim.url,
    body,
    headers: { ...Object.fromEntries(headers), ...signature },
    milliseconds: ctx.settings.get(webhookTimeoutSeconds) * 1000,
    rules: outboundRules(settings),
  });
  await recordOutcome(ctx, claim, sent);
  if (sent.error === null) state.delivered++;
  else state.failed++;
}
