import { MAIL_HOUSE, MAIL_HOUSE_TYPE, type MailHouse } from '../contracts/delivery.ts';
import type { Settings } from '../kernel/declare/setting.ts';
import type { ProviderRegistry } from '../kernel/ports/providers.ts';
import { OpenedProviders, type SavedProviderParts } from '../lib/saved-providers/saved-providers.ts';
import { storedMailHouses } from '../modules/documents/mailhouse/lib/stored-mail-houses.ts';
import { folderMailHouses } from '../providers/delivery/folder/folder-type.ts';
import { httpMailHouses } from '../providers/delivery/http/http-type.ts';

/** Registers the types of mail houses, and the saved ones. */
export async function registerMailHouses(
  providers: ProviderRegistry,
  { settings, ...parts }: Omit<SavedProviderParts, 'types'> & { readonly settings: Settings },
): Promise<OpenedProviders<MailHouse & { close?(): Promise<void> }>> {
  providers.register(MAIL_HOUSE_TYPE, 'folder', folderMailHouses(providers));
  providers.register(MAIL_HOUSE_TYPE, 'http', httpMailHouses(settings));
  const saved = new OpenedProviders({ ...parts, types: providers }, storedMailHouses);
  providers.join(MAIL_HOUSE, saved);
  await saved.fresh();
  return saved;
}
