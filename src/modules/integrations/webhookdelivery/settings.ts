import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const webhookTimeoutSeconds = defineSetting(
  'WebhookTimeoutSeconds',
  f.integer({ doc: 'Timeout of an attempt to send an event, in seconds.' }),
  15,
  { range: [1, 60] },
);
export const webhookParallelMax = defineSetting(
  'WebhookParallelMax',
  f.integer({
    doc:
      'How many events one webhook is sent at the same time, by all processes together. Events of one ' +
      'record are always sent in order.',
  }),
  4,
  { range: [1, 32] },
);
export const webhookRetryHours = defineSetting(
  'WebhookRetryHours',
  f.integer({ doc: 'For how many hours after its first failure an event is retried.' }),
  72,
  { range: [0, 8760] },
);
export const webhookDisableHours = defineSetting(
  'WebhookDisableHours',
  f.integer({ doc: 'After how many hours without a successful delivery a webhook is switched off; 0 for never.' }),
  120,
  { range: [0, 87_600] },
);
export const webhookDeliveryDays = defineSetting(
  'WebhookDeliveryDays',
  f.integer({
    doc: 'For how many days events and their attempts are kept, for lookup and replay; 0 keeps all.',
  }),
  30,
  { range: [0, 36_500] },
);

export const settings = [
  webhookTimeoutSeconds,
  webhookParallelMax,
  webhookRetryHours,
  webhookDisableHours,
  webhookDeliveryDays,
] as const;
