import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const webhookDelivery = defineRecord({
  name: 'WebhookDelivery',
  doc: 'An event sent to a webhook: its content and the result of each attempt.',
  reach: 'none',
  history: false,
  labelDoc: 'The event, such as Foreclosure.update.',
  finalStatuses: ['Delivered', 'Failed', 'Canceled'],
  fields: {
    WebhookID: computed(f.id({ doc: 'The webhook.', to: 'Webhook' })),
    EventID: f.text({
      label: 'Event reference',
      doc: 'The ID of the event, the same in every attempt and for every webhook.',
      max: 40,
      exact: true,
    }),
    EventDate: f.timestamp({ label: 'Event', doc: 'When the event happened.' }),
    Object: f.text({ label: 'Record type', doc: 'The concrete record type that changed.', max: 60, exact: true }),
    ObjectID: f.id({ label: 'Number of the record', doc: 'The record that changed.' }),
    RecordVersion: f.integer({ doc: "The record's version after the change." }),
    Data: f.text({ doc: "The event's data, as JSON.", exact: true }),
    CorrelationID: f.text({
      label: 'Correlation ID',
      doc: 'The correlation ID of the call that made the change.',
      max: 64,
      exact: true,
    }),
    Attempts: f.integer({ doc: 'How many times it was sent.' }),
    NextAttempt: f.timestamp({ doc: 'When it is sent next.' }),
    RetryUntil: f.timestamp({ doc: 'The time after which it is not retried.' }),
    LeasedUntil: f.timestamp({ label: 'Reserved until', doc: 'When the lease of the running attempt expires.' }),
    LastAttempt: f.timestamp({ doc: 'When it was last sent.' }),
    DeliveredDate: f.timestamp({ label: 'Delivered', doc: 'When the receiver accepted it.' }),
    ReplayedDate: f.timestamp({ label: 'Sent again', doc: 'When a user last had it sent again.' }),
    ResponseCode: f.integer({ label: 'HTTP status', doc: 'The HTTP status of the last response.' }),
    DurationMilliseconds: f.integer({ label: 'Duration in milliseconds', doc: 'How long the last attempt took.' }),
    LastError: f.text({
      doc: 'Why the last attempt failed: a status, or a code such as ECONNREFUSED.',
      max: 100,
      exact: true,
    }),
    ResponseStart: f.personal({
      label: 'Start of the response',
      doc: 'The first characters of the last response.',
      max: 500,
      exact: true,
    }),
    AttemptLog: f.json({ doc: 'The latest attempts, oldest first: when, status or error, milliseconds.' }),
  },
});
