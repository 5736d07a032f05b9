import type { MailInboundType } from '../../../contracts/mail-inbound.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { outboundRules } from '../../../kernel/security/outbound.ts';
import type { Settings } from '../../../kernel/declare/setting.ts';
import { assertFolders } from '../folder-names.ts';
import { assertServerAddress } from '../mail-server-address.ts';
import { ImapMailbox, type ImapMailboxParts } from './imap-mailbox.ts';
import { imapOptions, type ImapServerOptions } from './imap-options.ts';
import type { ImapTimes } from './imap-session.ts';

/** Default timeout of a response, in seconds. */
const TIMEOUT_SECONDS = 60;
/** IDLE is restarted, and a silent connection ended, after this time in milliseconds. */
const IDLE_MILLISECONDS = 4 * 60_000;
const SILENCE_MILLISECONDS = 6 * 60_000;

/** Mailboxes that are read by IMAP with a user name and a password. */
export function imapReceiver(settings: Settings, times: Partial<ImapTimes> = {}): MailInboundType<typeof imapOptions> {
  return {
    options: imapOptions,
    validate({ options }) {
      assertMailbox(settings, options);
      if (/[\r\n\0]/.test(options.Password)) throw bad('Password', 'a password on one line');
    },
    open: ({ options }) =>
      new ImapMailbox({
        ...mailboxParts(settings, options, times),
        isRenewable: false,
        credentials: () => Promise.resolve({ user: options.UserName, pass: options.Password }),
      }),
  };
}

/** @throws BAD_PARAMETER naming the option */
export function assertMailbox(settings: Settings, options: ImapServerOptions): void {
  assertServerAddress(settings, options);
  if (/\p{Cc}/u.test(options.UserName)) throw bad('UserName', 'a name on one line');
  assertFolders(options);
}

/** Returns what a reader needs beside credentials. */
export function mailboxParts(
  settings: Settings,
  options: ImapServerOptions,
  times: Partial<ImapTimes>,
): Omit<ImapMailboxParts, 'credentials' | 'isRenewable'> {
  const { Host, Port, Security, Authorities, Folder = 'INBOX', ReceivedFolder, TimeoutSeconds } = options;
  return {
    address: {
      Host,
      ...(Port === undefined ? {} : { Port }),
      ...(Security === undefined ? {} : { Security }),
      ...(Authorities === undefined ? {} : { Authorities }),
    },
    folder: Folder,
    receivedFolder: ReceivedFolder,
    rules: () => outboundRules(settings),
    times: {
      response: (TimeoutSeconds ?? TIMEOUT_SECONDS) * 1_000,
      idle: IDLE_MILLISECONDS,
      silence: SILENCE_MILLISECONDS,
      ...times,
    },
  };
}
