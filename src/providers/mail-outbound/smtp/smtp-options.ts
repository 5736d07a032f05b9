import type { OptionValues } from '../../../contracts/provider-options.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import type { ParameterFields } from '../../../kernel/declare/field-types.ts';

/** Options of a server that accepts mail by SMTP. */
export const smtpOptions = {
  Host: required(f.text({ doc: 'The server, by name or address.', max: 255, exact: true })),
  FromAddress: required(f.text({ doc: 'The default sender.', max: 254, exact: true })),
  Port: f.integer({ doc: 'The port; by default that of Security.' }),
  Security: f.choice(['STARTTLS', 'TLS', 'None'], {
    doc: 'Encryption of the connection: STARTTLS, TLS from the first byte, or None.',
  }),
  Authorities: f.text({ doc: 'Certificates of additional authorities, in PEM.', max: 30000, exact: true }),
  FromName: f.text({ doc: "The default sender's name.", max: 255 }),
  UserName: f.text({ doc: 'The user; empty for a server without authentication.', max: 255, exact: true }),
  Password: f.secret({ doc: "The user's password.", max: 2000 }),
  TokenURL: f.text({
    doc: 'Where a refresh token is exchanged for an access token, by OAuth 2.',
    max: 2000,
    exact: true,
  }),
  ClientID: f.text({ doc: 'OAuth 2: the client.', max: 500, exact: true }),
  ClientSecret: f.secret({ doc: 'OAuth 2: the secret of the client.', max: 4000 }),
  RefreshToken: f.secret({ doc: 'OAuth 2: the refresh token.', max: 8000 }),
  SignatureDomain: f.text({ doc: 'DKIM: the domain that signs; empty if the server does.', max: 253, exact: true }),
  SignatureSelector: f.text({ doc: 'DKIM: the selector of the key.', max: 63, exact: true }),
  SignatureKey: f.secret({ doc: 'DKIM: the private key, in PEM.', max: 30000 }),
  ConnectionsMax: f.integer({ doc: 'Most connections of one process.' }),
  MessagesPerMinute: f.integer({ doc: 'Most emails per minute, over all processes; empty for no limit.' }),
  TimeoutSeconds: f.integer({ doc: 'Timeout of a response, in seconds.' }),
} as const satisfies ParameterFields;

/** A saved SMTP server's options. */
export type SmtpOptions = OptionValues<typeof smtpOptions>;
