import { computed, f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const mailInbound = defineRecord({
  name: 'MailInbound',
  title: 'Mailbox',
  titlePlural: 'Mailboxes',
  doc: 'A mailbox whose mail becomes messages.',
  reach: 'none',
  labelDoc: 'The name by which calls refer to the mailbox: its account.',
  labelMax: 100,
  synonyms: { Receiver: 'MailInboundType' },
  triggers: { mailinbound_configuration: 'Notifies every process that mailboxes changed.' },
  fields: {
    Description: f.text({ doc: 'What the mailbox is for.', max: 2000 }),
    Sequence: f.integer({ label: 'Order', doc: 'The sort order. Empty comes last.' }),
    Active: f.boolean({ doc: 'Whether its mail is received.', default: true }),
    OrganizationID: f.id({
      label: 'Firm',
      doc:
        "The firm whose mailbox it is: its mail is filed on this firm's records alone. Empty for the installation's " +
        'own.',
      to: 'Organization',
    }),
    Address: f.text({
      label: 'Mail address',
      doc: 'The address of the mailbox, to which people write.',
      max: 254,
      exact: true,
    }),
    Host: f.text({ doc: 'The server.', max: 255, exact: true }),
    Port: f.integer({ doc: 'The port; by default 993 with TLS and 143 otherwise.' }),
    Security: f.choice(['TLS', 'STARTTLS', 'None'], {
      doc:
        'How the connection is encrypted: TLS from the first byte; STARTTLS, which must succeed; None for ' +
        'this machine alone, where OutboundHttpLoopback allows it. TLS where it is empty.',
    }),
    Authorities: f.text({
      label: 'Trusted certificates',
      doc: "Certificates of authorities that may sign the server's certificate besides the public ones, in PEM.",
      max: 30000,
      exact: true,
    }),
    UserName: f.text({ doc: 'The user name.', max: 255, exact: true }),
    Password: f.secret({
      doc: 'The password; for hosted mail `{tenantId}:{clientId}:{secretId}`. Stored encrypted and never shown.',
      max: 2000,
    }),
    TokenURL: f.text({
      label: 'Token address',
      doc: 'For hosted mail: the address that issues access tokens; `{tenantId}` is filled in.',
      max: 2000,
      exact: true,
    }),
    Folder: f.text({ doc: 'The folder that is read; by default INBOX.', max: 500, exact: true }),
    ReceivedFolder: f.text({
      label: 'Folder for received mail',
      doc: 'The folder to which received mail is moved; if empty, it stays where it is.',
      max: 500,
      exact: true,
    }),
    AuthenticationServer: f.text({
      label: 'Server that checks senders',
      doc:
        'The name with which the mail server begins its headers Authentication-Results, or several with commas; `-` ' +
        'for a server that writes no name. By default the host.',
      max: 500,
      exact: true,
    }),
    SenderProof: f.choice(['Required', 'NotFailed'], {
      label: 'Senders that count',
      valueLabels: { Required: 'Proven ones', NotFailed: 'All except those that failed the check' },
      doc:
        'Which senders count where mail is filed because its sender takes part in a conversation or case: `Required` ' +
        'only those that the server has proven; `NotFailed`, for a server that checks nothing, all whose check did ' +
        'not fail. Empty, the default: proven ones; and while no email had a header of the server, also an answer to ' +
        'our own email from an address to which that email was sent.',
    }),
    Since: f.timestamp({
      label: 'Mail from',
      doc: 'Mail that the server received earlier is not received. By default when the mailbox was saved.',
    }),
    TimeoutSeconds: f.integer({
      label: 'Timeout in seconds',
      doc: 'Timeout of a response from the server, in seconds; by default 60.',
    }),
    Options: f.text({
      doc: 'Options of the receiver for which there is no field here, as a query string: `Scope=…`.',
      max: 10000,
      exact: true,
    }),
    Secrets: f.secret({
      label: 'Secret options',
      doc:
        'Secret options of the receiver for which there is no field here, as a query string. ' +
        'Stored encrypted and never shown.',
      max: 30000,
    }),
    CheckingServers: computed(
      f.text({
        label: 'Servers in the newest mail',
        doc:
          'The names in the topmost header Authentication-Results of the newest emails, newest first: `.` for an ' +
          'email without one, `-` for a header without a name.',
        max: 6000,
        exact: true,
      }),
    ),
    SenderChecksSince: computed(
      f.timestamp({
        label: 'Senders checked since',
        doc: 'When the first email was received that has a header of the server that checks senders.',
      }),
    ),
    State: computed(
      f.choice(['Idle', 'Watching', 'Failed', 'SignInNeeded'], {
        label: 'Connection',
        valueLabels: {
          Idle: 'Not connected',
          Watching: 'Waiting for mail',
          Failed: 'The last attempt failed',
          SignInNeeded: 'Sign-in needed',
        },
        doc: 'The state of the connection to the server.',
      }),
    ),
    LastLook: computed(f.timestamp({ label: 'Last attempt', doc: 'When the server was last polled.' })),
    LastSuccess: computed(f.timestamp({ label: 'Last success', doc: 'When it last answered without an error.' })),
    LastError: computed(f.text({ doc: 'Why the last attempt failed; empty after a success.', max: 500, exact: true })),
    Behind: computed(
      f.integer({ label: 'Mail to receive', doc: 'Emails that were waiting on the server at the last attempt.' }),
    ),
    UidValidity: computed(
      f.text({ label: 'Folder version', doc: 'UIDVALIDITY of the folder.', max: 100, exact: true }),
    ),
    LastUid: computed(f.text({ label: 'Last mail', doc: 'UID of the newest mail received.', max: 100, exact: true })),
  },
});
