import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const mailOutbound = defineRecord({
  name: 'MailOutbound',
  doc: 'A mail server that mail is sent over. The first by Sequence is used where nothing names one; without any, mail is kept in a folder.',
  reach: 'none',
  labelDoc: 'The name by which templates and calls name the server.',
  labelMax: 100,
  triggers: { mailoutbound_configuration: 'Tells every process that mail servers changed.' },
  fields: {
    Description: f.text({ doc: 'What the server is for.', max: 2000 }),
    Sequence: f.integer({ doc: 'The order; the lowest is the default. Empty is last.' }),
    FromAddress: f.text({ doc: 'Who sends, where a mail does not say.', max: 254, exact: true }),
    FromName: f.text({ doc: "The sender's name.", max: 255 }),
    Host: f.text({ doc: 'The server.', max: 255, exact: true }),
    Port: f.integer({ doc: 'Its port; 587 with STARTTLS, 465 with TLS, 25 with None where it is empty.' }),
    Security: f.choice(['STARTTLS', 'TLS', 'None'], {
      doc: 'How the connection is encrypted: STARTTLS, which must succeed; TLS from the first byte; None for this machine alone, where OutboundHttpLoopback allows it. STARTTLS where it is empty.',
    }),
    Authorities: f.text({
      doc: "Certificates of authorities that may sign the server's beside the public ones, in PEM.",
      max: 30000,
      exact: true,
    }),
    UserName: f.text({ doc: 'Who signs in; empty where the server asks for nobody.', max: 255, exact: true }),
    Password: f.secret({ doc: 'The password. Kept sealed and never shown.', max: 2000 }),
    TokenURL: f.text({
      doc: 'In place of a password, where the refresh token is exchanged for an access token, by OAuth 2.',
      max: 2000,
      exact: true,
    }),
    ClientID: f.text({ doc: 'Of OAuth 2, the client.', max: 500, exact: true }),
    ClientSecret: f.secret({ doc: "Of OAuth 2, the client's secret. Kept sealed and never shown.", max: 4000 }),
    RefreshToken: f.secret({ doc: 'Of OAuth 2, the refresh token. Kept sealed and never shown.', max: 8000 }),
    SignatureDomain: f.text({
      doc: 'The domain that signs mails by DKIM; empty where the server does that.',
      max: 253,
      exact: true,
    }),
    SignatureSelector: f.text({ doc: 'Of DKIM, the name of the key below the domain.', max: 63, exact: true }),
    SignatureKey: f.secret({ doc: 'Of DKIM, the private key in PEM. Kept sealed and never shown.', max: 30000 }),
    ConnectionsMax: f.integer({ doc: 'The most connections of one process to the server; 4 where it is empty.' }),
    TimeoutSeconds: f.integer({ doc: 'How many seconds an answer of the server may take; 60 where it is empty.' }),
  },
});
