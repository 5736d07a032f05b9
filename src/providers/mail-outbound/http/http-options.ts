import type { OptionValues } from '../../../contracts/provider-options.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import type { ParameterFields } from '../../../kernel/declare/field-types.ts';

/** The value of IdempotencyHeader for a service that knows no such header. */
export const NO_IDEMPOTENCY = 'none';

/** Options of a service that accepts mail as JSON over HTTP. */
export const httpMailOptions = {
  Endpoint: required(f.text({ doc: 'The URL to which mail is posted.', max: 2000, exact: true })),
  ApiKey: required(f.secret({ doc: "The service's key, sent as a bearer token.", max: 4000 })),
  // Required, since a wrong guess sends mail twice.
  IdempotencyHeader: required(
    f.text({
      doc:
        'The header by which the service recognizes a repeated request, usually Idempotency-Key; none if it ' +
        'has no such header.',
      max: 60,
      exact: true,
    }),
  ),
  FromAddress: required(f.text({ doc: 'The default sender.', max: 254, exact: true })),
  FromName: f.text({ doc: "The default sender's name.", max: 255 }),
  WebhookSecret: f.secret({
    doc: 'The secret that signs the reports of the service: `whsec_` and base64. Without it they are refused.',
    max: 500,
  }),
  MessagesPerMinute: f.integer({ doc: 'Most emails per minute, over all processes; empty for no limit.' }),
  TimeoutSeconds: f.integer({
    doc: 'Timeout of connecting, of each chunk of an email, and of the response, in seconds.',
  }),
} as const satisfies ParameterFields;

/** A saved service's options. */
export type HttpMailOptions = OptionValues<typeof httpMailOptions>;
