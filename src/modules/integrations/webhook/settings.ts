import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const webhookRotationHours = defineSetting(
  'WebhookRotationHours',
  f.integer({ doc: 'How many hours after a webhook gets a new secret the previous one still signs as well.' }),
  24,
  { range: [0, 8760] },
);

export const settings = [webhookRotationHours] as const;
