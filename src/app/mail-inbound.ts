import { MAIL_INBOUND, MAIL_INBOUND_TYPE } from '../contracts/mail-inbound.ts';
import type { SavedProviderParts } from '../lib/saved-providers/saved-providers.ts';
import type { ProviderRegistry } from '../kernel/ports/providers.ts';
import type { Settings } from '../kernel/declare/setting.ts';
import { StoredMailInbounds } from '../modules/messages/mailinbound/lib/stored-mail-inbounds.ts';
import { hostedApiReceiver } from '../providers/mail-inbound/hosted-api/hosted-api-type.ts';
import { hostedMailReceiver } from '../providers/mail-inbound/hosted-mail/hosted-mail-type.ts';
import { imapReceiver } from '../providers/mail-inbound/imap/imap-type.ts';

/** What reading mailboxes needs. */
export interface MailInboundParts extends Omit<SavedProviderParts, 'types'> {
  readonly settings: Settings;
}

/** Registers the receivers, and the saved mailboxes. */
export async function registerMailInbound(
  providers: ProviderRegistry,
  { settings, ...parts }: MailInboundParts,
): Promise<StoredMailInbounds> {
  providers.register(MAIL_INBOUND_TYPE, 'ImapReceiver', imapReceiver(settings));
  providers.register(MAIL_INBOUND_TYPE, 'HostedMailReceiver', hostedMailReceiver(settings));
  providers.register(MAIL_INBOUND_TYPE, 'HostedApiReceiver', hostedApiReceiver(settings));
  const saved = new StoredMailInbounds({ ...parts, types: providers });
  providers.join(MAIL_INBOUND, saved);
  await saved.fresh();
  return saved;
}
