import { MAIL_OUTBOUND_TYPE, type MailOutbound } from '../../../../contracts/mail-outbound.ts';
import { optionValues } from '../../../../contracts/provider-options.ts';
import type { Cipher } from '../../../../kernel/security/cipher.ts';
import type { Configuration } from '../../../../kernel/database/configuration.ts';
import type { Log } from '../../../../kernel/ports/log.ts';
import type { Providers, SavedProviders } from '../../../../kernel/ports/providers.ts';
import { accountColumns, DEFAULT_TYPE, openColumn, optionsOf, type StoredAccount } from './account-columns.ts';

/** Name of the folder that stores mail while there is no server. */
export const FOLDER = 'Folder';

interface OpenedMailOutbound {
  readonly name: string;
  /** Fingerprint of the row and secrets it was opened from. While it is unchanged, the connections stay open. */
  readonly of: string;
  readonly outbound: MailOutbound;
}

/**
 * Dependencies of saved mail servers. `folder` stores mail while no server is saved; it can also be named explicitly.
 */
export interface MailParts {
  readonly configuration: Configuration;
  readonly types: Providers;
  readonly cipher: Cipher;
  readonly log: Log;
  readonly folder: MailOutbound | undefined;
}

/**
 * The saved mail servers in order, followed by the folder. Reloaded as soon as a process sees that configuration
 * changed.
 */
export class StoredMailOutbounds implements SavedProviders<MailOutbound> {
  private readonly parts: MailParts;
  private opened: ReadonlyMap<string, OpenedMailOutbound> = new Map();
  private loaded: Promise<readonly StoredAccount[]> | undefined;

  constructor(parts: MailParts) {
    this.parts = parts;
  }

  get(name: string): MailOutbound | undefined {
    return name.toLowerCase() === FOLDER.toLowerCase()
      ? this.parts.folder
      : this.opened.get(name.toLowerCase())?.outbound;
  }

  names(): readonly string[] {
    return [...[...this.opened.values()].map(({ name }) => name), ...(this.parts.folder ? [FOLDER] : [])];
  }

  /** Reloads the servers if their configuration changed; nearly free otherwise. */
  fresh(): Promise<void> | undefined {
    const checking = this.parts.configuration.ensureFresh();
    if (!checking && this.load() === this.loaded) return undefined;
    return this.refresh(checking);
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    for (const { outbound } of this.opened.values()) await outbound.close();
    this.opened = new Map();
  }

  private load(): Promise<readonly StoredAccount[]> {
    const { configuration } = this.parts;
    return configuration.get('mailoutbounds', () =>
      configuration.db.query<StoredAccount>(
        `select ${accountColumns} from mailoutbound order by sequence nulls last, mailoutboundid`,
      ),
    );
  }

  private async refresh(checking: Promise<void> | undefined): Promise<void> {
    await checking;
    const loading = this.load();
    if (loading === this.loaded) return;
    const rows = await loading;
    // Another caller may have reloaded them meanwhile. From here to the end nothing awaits.
    if (loading === this.loaded) return;
    const before = this.opened;
    const now = new Map(
      rows.flatMap((row) => this.open(row, before) ?? []).map((each) => [each.name.toLowerCase(), each] as const),
    );
    this.opened = now;
    this.loaded = loading;
    for (const [key, { outbound }] of before) {
      // Mail in progress over it is finished first.
      if (now.get(key)?.outbound !== outbound) void outbound.close().catch(() => undefined);
    }
  }

  private open(row: StoredAccount, before: ReadonlyMap<string, OpenedMailOutbound>): OpenedMailOutbound | undefined {
    const { types, cipher, log } = this.parts;
    const of = JSON.stringify(row);
    const known = before.get(row.mailoutbound.toLowerCase());
    if (known?.of === of) return known;
    try {
      const type = types.get(MAIL_OUTBOUND_TYPE, row.mailoutboundtype ?? DEFAULT_TYPE);
      const options = optionValues(
        type.options,
        optionsOf((name) => openColumn(cipher, name.toLowerCase(), row[name.toLowerCase()])),
      );
      return {
        name: row.mailoutbound,
        of,
        outbound: type.open({ id: row.mailoutboundid, name: row.mailoutbound, options }),
      };
    } catch (error) {
      log.error('mail server skipped: its kind is unknown, or its secrets cannot be decrypted', {
        mailOutboundId: row.mailoutboundid,
        error: error instanceof Error ? error.name : 'unknown',
      });
      return undefined;
    }
  }
}
