import type { OptionValues } from '../../../contracts/provider-options.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import type { ParameterFields } from '../../../kernel/declare/field-types.ts';

/** Options of every mailbox that is read by IMAP. */
export const imapServerOptions = {
  Host: required(f.text({ doc: 'The server, by name or address.', max: 255, exact: true })),
  Port: f.integer({ doc: 'The port; by default 993 with TLS and 143 otherwise.' }),
  Security: f.choice(['TLS', 'STARTTLS', 'None'], {
    doc: 'Encryption of the connection: TLS from the first byte, STARTTLS, or None.',
  }),
  Authorities: f.text({ doc: 'Certificates of additional authorities, in PEM.', max: 30000, exact: true }),
  UserName: required(f.text({ doc: 'The user.', max: 255, exact: true })),
  Folder: f.text({ doc: 'The folder that is read; by default INBOX.', max: 500, exact: true }),
  ReceivedFolder: f.text({ doc: 'The folder to which received mail is moved.', max: 500, exact: true }),
  TimeoutSeconds: f.integer({ doc: 'Timeout of a response, in seconds.' }),
} as const satisfies ParameterFields;

/** Options of a mailbox that is read by IMAP with a password. */
export const imapOptions = {
  ...imapServerOptions,
  Password: required(f.secret({ doc: "The user's password.", max: 2000 })),
} as const satisfies ParameterFields;

/** A saved mailbox's options, without its credentials. */
export type ImapServerOptions = OptionValues<typeof imapServerOptions>;
