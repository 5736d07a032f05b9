import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const webhookDelivery = defineRecord({
  name: 'WebhookDelivery',
  doc: 'One event for one webhook: what is sent, and what came of each attempt.',
  reach: 'none',
  history: false,
  labelDoc: 'The event, such as Foreclosure.update.',
  finalStatuses: ['Delivered', 'Failed', 'Canceled'],
  fields: {
    WebhookID: computed(f.id({ doc: 'The webhook.', to: 'Webhook' })),
    EventID: f.text({ doc: 'Identifies the event, in every attempt and for every webhook.', max: 40, exact: true }),
    EventDate: f.timestamp({ doc: 'When it happened.' }),
    Object: f.text({ doc: 'The record type that changed, its concrete class.', max: 60, exact: true }),
    ObjectID: f.id({ doc: 'The record that changed.' }),
    RecordVersion: f.integer({ doc: "The record's version after the change." }),
    Data: f.text({ doc: 'What the event says of it, as JSON.', exact: true }),
    CorrelationID: f.text({ doc: 'Finds the call that made the change.', max: 64, exact: true }),
    Attempts: f.integer({ doc: 'How often it was sent.' }),
    NextAttempt: f.timestamp({ doc: 'When it is sent next.' }),
    RetryUntil: f.timestamp({ doc: 'After which a failed attempt is the last.' }),
    LeasedUntil: f.timestamp({ doc: 'Until when the attempt that runs is waited for.' }),
    LastAttempt: f.timestamp({ doc: 'When it was sent last.' }),
    DeliveredDate: f.timestamp({ doc: 'When the receiver took it.' }),
    ReplayedDate: f.timestamp({ doc: 'When somebody last had it sent again.' }),
    ResponseCode: f.integer({ doc: 'The HTTP status of the last answer.' }),
    DurationMilliseconds: f.integer({ doc: 'How long the last attempt took.' }),
    LastError: f.text({
      doc: 'Why the last attempt failed: a status, or a code such as ECONNREFUSED.',
      max: 100,
      exact: true,
    }),
    ResponseStart: f.personal({ doc: 'The first characters of the last answer.', max: 500, exact: true }),
    AttemptLog: f.json({ doc: 'The latest attempts, oldest first: when, status or error, milliseconds.' }),
  },
});
