import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const webhookRotationHours = defineSetting(
  'WebhookRotationHours',
  f.integer({ doc: 'For how many hours after a new secret of a webhook was made the one before it signs too.' }),
  24,
);

export const settings = [webhookRotationHours] as const;
