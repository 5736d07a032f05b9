import { MAIL_INBOUND_TYPE, type MailInbound } from '../../../../contracts/mail-inbound.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import { providerColumns, type ProviderRecord } from '../../../../lib/saved-providers/provider-record.ts';
import {
  OpenedProviders,
  type SavedProviderKind,
  type SavedProviderParts,
} from '../../../../lib/saved-providers/saved-providers.ts';
import { mailInbound } from '../mailinbound.record.ts';

/** The receiver of a mailbox that names none. */
export const DEFAULT_RECEIVER = 'ImapReceiver';

/** How mailboxes are stored. */
export const mailboxRecord: ProviderRecord<typeof mailInbound> = {
  record: mailInbound,
  noun: 'mailbox',
  options: [
    'Host',
    'Port',
    'Security',
    'Authorities',
    'UserName',
    'Password',
    'TokenURL',
    'Folder',
    'ReceivedFolder',
    'TimeoutSeconds',
  ],
  secretBytesMax: { Password: 1_000, Secrets: 16_000 },
  destination: [
    'MailInboundType',
    'Host',
    'Port',
    'Security',
    'Authorities',
    'UserName',
    'TokenURL',
    // What the options of other receivers mean is not known here.
    'Options',
  ],
  pins: [],
  sentSecrets: ['Password', 'Secrets'],
  limits: { TimeoutSeconds: 300 },
};

/** A stored mailbox; its secrets are encrypted. */
export type StoredMailbox = Row<typeof mailInbound> & { readonly MailInbound: string };

/** The select list of a {@link StoredMailbox}. */
export const mailboxColumns = providerColumns(mailboxRecord);

const storedMailInbounds: SavedProviderKind<MailInbound> = {
  of: mailboxRecord,
  type: MAIL_INBOUND_TYPE,
  defaultType: DEFAULT_RECEIVER,
  load: (db) =>
    db.query<StoredMailbox>(`select ${mailboxColumns} from mailinbound order by sequence nulls last, mailinboundid`),
};

/** The saved mailboxes in order. */
export class StoredMailInbounds extends OpenedProviders<MailInbound> {
  constructor(parts: SavedProviderParts) {
    super(parts, storedMailInbounds);
  }
}
