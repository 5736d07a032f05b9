import type { Cipher } from '../kernel/security/cipher.ts';
import { MAIL_OUTBOUND, MAIL_OUTBOUND_TYPE } from '../contracts/mail-outbound.ts';
import { TEXT_OUTBOUND, TEXT_OUTBOUND_TYPE } from '../contracts/text-outbound.ts';
import type { Configuration } from '../kernel/database/configuration.ts';
import type { Log } from '../kernel/ports/log.ts';
import type { ProviderRegistry } from '../kernel/ports/providers.ts';
import type { Settings } from '../kernel/declare/setting.ts';
import {
  StoredMailOutbounds,
  StoredTextOutbounds,
  TEXT_TYPE,
} from '../modules/messages/mailoutbound/lib/stored-mail-outbounds.ts';
import { FolderMailOutbound } from '../providers/mail-outbound/folder/folder-mail-outbound.ts';
import { httpServices } from '../providers/mail-outbound/http/http-type.ts';
import { smtpServers } from '../providers/mail-outbound/smtp/smtp-type.ts';
import { FolderTextOutbound } from '../providers/text-outbound/folder/folder-text-outbound.ts';
import { httpTextServices } from '../providers/text-outbound/http/text-type.ts';

/** What sending mail needs. `folder` stores mail if no server is configured; without it mail cannot be sent then. */
export interface MailParts {
  readonly folder: string | undefined;
  readonly settings: Settings;
  readonly configuration: Configuration;
  readonly cipher: Cipher;
  readonly log: Log;
}

/** The saved servers, to be refreshed and closed together. */
export interface SavedServers {
  fresh(): Promise<void> | undefined;
  close(): Promise<void>;
}

/** Registers the types of mail servers and of services for text messages, and the saved ones. */
export async function registerMail(
  providers: ProviderRegistry,
  { folder, settings, configuration, cipher, log }: MailParts,
): Promise<SavedServers> {
  providers.register(MAIL_OUTBOUND_TYPE, 'smtp', smtpServers(settings));
  providers.register(MAIL_OUTBOUND_TYPE, 'http', httpServices(settings));
  providers.register(TEXT_OUTBOUND_TYPE, TEXT_TYPE, httpTextServices(settings));
  const parts = { configuration, types: providers, cipher, log };
  const mails = new StoredMailOutbounds(parts, folder === undefined ? undefined : new FolderMailOutbound(folder));
  const texts = new StoredTextOutbounds(parts, folder === undefined ? undefined : new FolderTextOutbound(folder));
  providers.join(MAIL_OUTBOUND, mails);
  providers.join(TEXT_OUTBOUND, texts);
  await mails.fresh();
  await texts.fresh();
  return {
    fresh: () => {
      const stale = [mails.fresh(), texts.fresh()].flatMap((one) => one ?? []);
      return stale.length === 0 ? undefined : Promise.all(stale).then(() => undefined);
    },
    close: async () => void (await Promise.all([mails.close(), texts.close()])),
  };
}
