import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const mailOutbound = defineRecord({
  name: 'MailOutbound',
  title: 'Mail server',
  doc:
    'A server for outgoing mail. An email that names no server goes through the first by Sequence. While ' +
    'there is none, mail is stored in a folder.',
  reach: 'none',
  labelDoc: 'The name by which templates and calls refer to the server.',
  labelMax: 100,
  triggers: { mailoutbound_configuration: 'Notifies every process that mail servers changed.' },
  fields: {
    Description: f.text({ doc: 'What the server is for.', max: 2000 }),
    Sequence: f.integer({ label: 'Order', doc: 'The sort order; the lowest is the default. Empty comes last.' }),
    FromAddress: f.text({ label: 'Sender address', doc: 'The default sender.', max: 254, exact: true }),
    FromName: f.text({ label: 'Sender name', doc: "The sender's name.", max: 255 }),
    Host: f.text({ doc: 'The server.', max: 255, exact: true }),
    Port: f.integer({ doc: 'The port; by default 587 with STARTTLS, 465 with TLS and 25 with None.' }),
    Security: f.choice(['STARTTLS', 'TLS', 'None'], {
      doc:
        'How the connection is encrypted: STARTTLS, which must succeed; TLS from the first byte; None for ' +
        'this machine alone, where OutboundHttpLoopback allows it. STARTTLS where it is empty.',
    }),
    Authorities: f.text({
      label: 'Trusted certificates',
      doc: "Certificates of authorities that may sign the server's certificate besides the public ones, in PEM.",
      max: 30000,
      exact: true,
    }),
    UserName: f.text({ doc: 'The user name; empty for a server without authentication.', max: 255, exact: true }),
    Password: f.secret({ doc: 'The password. Stored encrypted and never shown.', max: 2000 }),
    TokenURL: f.text({
      label: 'Token address',
      doc: 'OAuth 2, instead of a password: the address that exchanges the refresh token for an access token.',
      max: 2000,
      exact: true,
    }),
    ClientID: f.text({ doc: 'Of OAuth 2, the client.', max: 500, exact: true }),
    ClientSecret: f.secret({ doc: 'OAuth 2: the client secret. Stored encrypted and never shown.', max: 4000 }),
    RefreshToken: f.secret({ doc: 'OAuth 2: the refresh token. Stored encrypted and never shown.', max: 8000 }),
    SignatureDomain: f.text({
      doc: 'The domain that signs mail with DKIM; empty if the server signs.',
      max: 253,
      exact: true,
    }),
    SignatureSelector: f.text({ doc: 'DKIM: the selector of the key.', max: 63, exact: true }),
    SignatureKey: f.secret({ doc: 'DKIM: the private key in PEM. Stored encrypted and never shown.', max: 30000 }),
    ConnectionsMax: f.integer({
      label: 'Connections at once',
      doc: 'Most connections of one process to the server; by default 4.',
    }),
    MessagesPerMinute: f.integer({
      label: 'Mails per minute',
      doc: 'Most emails per minute, over all processes: the others wait for their turn. Empty for no limit.',
    }),
    TimeoutSeconds: f.integer({
      label: 'Timeout in seconds',
      doc: 'Timeout of a response from the server, in seconds; by default 60.',
    }),
    Options: f.text({
      doc:
        "Options of the server's kind for which there is no field here, as a query string: " +
        '`Region=eu&Stream=cases`. SMTP has none. docs/guides/operators/mail.md lists those of the other kinds.',
      max: 10000,
      exact: true,
    }),
    Secrets: f.secret({
      label: 'Secret options',
      doc:
        "Secret options of the server's kind for which there is no field here, as a query string: `ApiKey=…`. " +
        'Stored encrypted and never shown.',
      max: 30000,
    }),
  },
});
