import type { OptionValues } from '../../../contracts/provider-options.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import type { ParameterFields } from '../../../kernel/declare/field-types.ts';

/** The value of IdempotencyHeader for a service that knows no such header. */
export const NO_IDEMPOTENCY = 'none';

/** Options of a service that accepts text messages as JSON over HTTP. */
export const httpTextOptions = {
  Endpoint: required(f.text({ doc: 'The URL to which text messages are posted.', max: 2000, exact: true })),
  ApiKey: required(f.secret({ doc: "The service's key, sent as a bearer token.", max: 4000 })),
  // Required, since a wrong guess sends messages twice.
  IdempotencyHeader: required(
    f.text({
      doc: 'The header by which the service recognizes a repeated request; none if it has no such header.',
      max: 60,
      exact: true,
    }),
  ),
  Sender: required(f.text({ doc: 'The number or the name from which they are sent.', max: 60, exact: true })),
  MessagesPerMinute: f.integer({ doc: 'Most text messages per minute, over all processes; empty for no limit.' }),
  TimeoutSeconds: f.integer({ doc: 'Timeout of connecting and of the response, in seconds.' }),
} as const satisfies ParameterFields;

/** A saved service's options. */
export type HttpTextOptions = OptionValues<typeof httpTextOptions>;
