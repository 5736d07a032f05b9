import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const webhookTimeoutSeconds = defineSetting(
  'WebhookTimeoutSeconds',
  f.integer({ doc: 'How long an attempt to send an event may take, at most 60.' }),
  15,
);
export const webhookParallelMax = defineSetting(
  'WebhookParallelMax',
  f.integer({
    doc: 'How many events one webhook is sent at a time, by all processes together; events of one record always follow one another.',
  }),
  4,
);
export const webhookRetryHours = defineSetting(
  'WebhookRetryHours',
  f.integer({ doc: 'For how many hours after an event failed attempts to send it are repeated.' }),
  72,
);
export const webhookDisableHours = defineSetting(
  'WebhookDisableHours',
  f.integer({ doc: 'After how many hours in which nothing reached a webhook it is switched off; 0 never.' }),
  120,
);
export const webhookDeliveryDays = defineSetting(
  'WebhookDeliveryDays',
  f.integer({
    doc: 'For how many days events and their attempts are kept, to be looked up and sent again; 0 keeps all.',
  }),
  30,
);

export const settings = [
  webhookTimeoutSeconds,
  webhookParallelMax,
  webhookRetryHours,
  webhookDisableHours,
  webhookDeliveryDays,
] as const;
