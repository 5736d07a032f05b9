import { MAIL_HOUSE_TYPE, type MailHouse } from '../../../../contracts/delivery.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import { providerColumns, type ProviderRecord } from '../../../../lib/saved-providers/provider-record.ts';
import type { SavedProviderKind } from '../../../../lib/saved-providers/saved-providers.ts';
import { mailHouse } from '../mailhouse.record.ts';

/** How mail houses are stored. */
export const mailHouseRecord: ProviderRecord<typeof mailHouse> = {
  record: mailHouse,
  noun: 'mail house',
  options: [],
  secretBytesMax: { Secrets: 16_000 },
  // What the options of each kind mean is not known here.
  destination: ['MailHouseType', 'Options'],
  pins: [],
  sentSecrets: ['Secrets'],
  limits: {},
};

/** A stored mail house; its secrets are encrypted. */
export type StoredMailHouse = Row<typeof mailHouse> & { readonly MailHouse: string; readonly MailHouseType: string };

/** The select list of a {@link StoredMailHouse}. */
export const mailHouseColumns = providerColumns(mailHouseRecord);

/** Saved mail houses in order; the first is the default. */
export const storedMailHouses: SavedProviderKind<MailHouse & { close?(): Promise<void> }> = {
  of: mailHouseRecord,
  type: MAIL_HOUSE_TYPE,
  load: (db) =>
    db.query<StoredMailHouse>(`select ${mailHouseColumns} from mailhouse order by sequence nulls last, mailhouseid`),
};
