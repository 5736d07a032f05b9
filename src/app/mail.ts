import type { Cipher } from '../kernel/security/cipher.ts';
import { MAIL_OUTBOUND, MAIL_OUTBOUND_TYPE } from '../contracts/mail-outbound.ts';
import type { Configuration } from '../kernel/database/configuration.ts';
import type { Log } from '../kernel/ports/log.ts';
import type { ProviderRegistry } from '../kernel/ports/providers.ts';
import type { Settings } from '../kernel/declare/setting.ts';
import { StoredMailOutbounds } from '../modules/messages/mailoutbound/lib/stored-mail-outbounds.ts';
import { FolderMailOutbound } from '../providers/mail-outbound/folder/folder-mail-outbound.ts';
import { httpServices } from '../providers/mail-outbound/http/http-type.ts';
import { smtpServers } from '../providers/mail-outbound/smtp/smtp-type.ts';

/** What sending mail needs. `folder` stores mail if no server is configured; without it mail cannot be sent then. */
export interface MailParts {
  readonly folder: string | undefined;
  readonly settings: Settings;
  readonly configuration: Configuration;
  readonly cipher: Cipher;
  readonly log: Log;
}

/** Registers the types of mail servers, and the saved servers. */
export async function registerMail(
  providers: ProviderRegistry,
  { folder, settings, configuration, cipher, log }: MailParts,
): Promise<StoredMailOutbounds> {
  providers.register(MAIL_OUTBOUND_TYPE, 'smtp', smtpServers(settings));
  providers.register(MAIL_OUTBOUND_TYPE, 'http', httpServices(settings));
  const saved = new StoredMailOutbounds(
    { configuration, types: providers, cipher, log },
    folder === undefined ? undefined : new FolderMailOutbound(folder),
  );
  providers.join(MAIL_OUTBOUND, saved);
  await saved.fresh();
  return saved;
}
