import type { OptionValues } from '../../../contracts/provider-options.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import type { ParameterFields } from '../../../kernel/declare/field-types.ts';
import { priceOptions } from '../prices.ts';

/** Options of a mail house that takes letters over HTTP. */
export const httpMailHouseOptions = {
  Endpoint: required(
    f.text({ doc: 'The URL of the service; letters are posted to `/letters` below it.', max: 2000, exact: true }),
  ),
  ApiKey: required(f.secret({ doc: "The service's key, sent as a bearer token.", max: 4000 })),
  WebhookSecret: f.secret({
    doc: 'The secret that signs the notices of the mail house: `whsec_` and base64. Without it they are refused.',
    max: 500,
  }),
  ToleranceSeconds: f.integer({ doc: 'How far the time of a notice may be from now, in seconds; by default 300.' }),
  TimeoutSeconds: f.integer({
    doc: 'Timeout of connecting, of each piece of a letter, and of the response, in seconds; by default 60.',
  }),
  ...priceOptions,
} as const satisfies ParameterFields;

/** Options of a saved mail house of this kind. */
export type HttpMailHouseOptions = OptionValues<typeof httpMailHouseOptions>;
