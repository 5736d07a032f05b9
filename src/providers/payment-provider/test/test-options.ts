import type { OptionValues } from '../../../contracts/provider-options.ts';
import { f } from '../../../kernel/declare/field.ts';
import type { ParameterFields } from '../../../kernel/declare/field-types.ts';

/** Options of a test gateway. */
export const testGatewayOptions = {
  WebhookSecret: f.secret({
    doc: 'The secret that signs webhooks: `whsec_` and base64. Without it, webhooks are refused.',
    max: 500,
  }),
  SettleSeconds: f.integer({
    doc: 'Seconds after which pending payments, refunds and disputes are decided. Default: 60.',
  }),
} as const satisfies ParameterFields;

/** Options of a saved test gateway. */
export type TestGatewayOptions = OptionValues<typeof testGatewayOptions>;
