import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const paymentProvider = defineRecord({
  name: 'PaymentProvider',
  title: 'Payment gateway',
  doc:
    'A payment gateway, which stores cards and bank accounts and charges them. The first active one by Sequence is ' +
    'the default.',
  reach: 'none',
  labelDoc: 'The name of the gateway in payments, in calls and in the address of its webhook.',
  labelMax: 100,
  triggers: { paymentprovider_configuration: 'Notifies every process that payment gateways changed.' },
  fields: {
    Description: f.text({ doc: 'What the gateway is for.', max: 2000 }),
    Sequence: f.integer({ label: 'Order', doc: 'The sort order; the lowest is the default. Empty comes last.' }),
    Active: f.boolean({
      doc: 'Whether new payments use it. Existing payments can still be settled, captured and refunded.',
      default: true,
    }),
    ApiKey: f.secret({
      label: 'API key',
      doc: "The gateway's secret or restricted key. Stored encrypted and never shown.",
      max: 4000,
    }),
    WebhookSecret: f.secret({
      doc: "The secret that signs the gateway's webhooks. Without it they are refused. Stored encrypted, never shown.",
      max: 1000,
    }),
    BaseURL: f.text({
      label: 'Address',
      doc: 'The address of a gateway with the same interface, such as https://pay.example; by default the public one.',
      max: 2000,
      exact: true,
    }),
    TimeoutSeconds: f.integer({
      label: 'Timeout in seconds',
      doc: 'Timeout of a request to the gateway, in seconds. Default: 60.',
    }),
    Options: f.text({
      doc: "Options of the gateway's kind for which there is no field here, as a query string.",
      max: 10000,
      exact: true,
    }),
    Secrets: f.secret({
      label: 'Secret options',
      doc:
        "Secret options of the gateway's kind for which there is no field here, as a query string. " +
        'Stored encrypted and never shown.',
      max: 30000,
    }),
  },
});
