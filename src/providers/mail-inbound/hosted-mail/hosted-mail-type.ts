import type { MailInboundType } from '../../../contracts/mail-inbound.ts';
import type { Settings } from '../../../kernel/declare/setting.ts';
import { assertHosted, hostedToken } from '../client-credentials.ts';
import { hostedSignInOptions } from '../hosted-options.ts';
import { ImapMailbox } from '../imap/imap-mailbox.ts';
import { imapServerOptions } from '../imap/imap-options.ts';
import { assertMailbox, mailboxParts } from '../imap/imap-type.ts';

const hostedMailOptions = { ...imapServerOptions, ...hostedSignInOptions } as const;

/** Mailboxes of a hosted mail service that are read by IMAP, with a token of OAuth 2 instead of a password. */
export function hostedMailReceiver(settings: Settings): MailInboundType<typeof hostedMailOptions> {
  return {
    options: hostedMailOptions,
    validate({ options }) {
      assertMailbox(settings, options);
      assertHosted(settings, options);
    },
    open({ options }) {
      const parts = mailboxParts(settings, options, {});
      const { UserName: user } = options;
      const token = hostedToken(options, { rules: parts.rules, milliseconds: parts.times.response });
      return new ImapMailbox({
        ...parts,
        isRenewable: true,
        credentials: async (isRefused) => ({ user, accessToken: await token.get(isRefused) }),
      });
    },
  };
}
