import type { OptionValues } from '../../../contracts/provider-options.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import type { ParameterFields } from '../../../kernel/declare/field-types.ts';

/** Options of a card gateway. */
export const cardGatewayOptions = {
  ApiKey: required(f.secret({ doc: "The gateway's secret or restricted key.", max: 4000 })),
  WebhookSecret: f.secret({
    doc: 'The secret that signs webhooks, `whsec_…`. Without it, webhooks are refused.',
    max: 1000,
  }),
  BaseURL: f.text({
    doc: 'The address of a gateway with the same interface; by default the public one.',
    max: 2000,
    exact: true,
  }),
  TimeoutSeconds: f.integer({ doc: 'Timeout of a request, in seconds. Default: 60.' }),
} as const satisfies ParameterFields;

/** Options of a saved card gateway. */
export type CardGatewayOptions = OptionValues<typeof cardGatewayOptions>;
