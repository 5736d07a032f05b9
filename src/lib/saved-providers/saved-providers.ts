import { recordId } from '../../kernel/door/answer.ts';
import { optionValues, type ProviderType } from '../../contracts/provider-options.ts';
import type { Configuration } from '../../kernel/database/configuration.ts';
import type { Db } from '../../kernel/database/store.ts';
import type { Log } from '../../kernel/ports/log.ts';
import type { Contract, Providers, SavedProviders } from '../../kernel/ports/providers.ts';
import type { Cipher } from '../../kernel/security/cipher.ts';
import { openOptions, type ProviderRecord, type StoredProvider } from './provider-record.ts';

/** What saved providers of any kind need. */
export interface SavedProviderParts {
  readonly configuration: Configuration;
  /** The types of providers. */
  readonly types: Providers;
  readonly cipher: Cipher;
  readonly log: Log;
}

/** One kind of saved providers. */
export interface SavedProviderKind<P> {
  readonly of: ProviderRecord;
  /** The contract of their types. */
  readonly type: Contract<ProviderType<P>>;
  /** The type of a provider that names none. */
  readonly defaultType?: string;
  /** Whether a stored provider is of this kind, if several kinds share the record type. */
  readonly takes?: (stored: StoredProvider) => boolean;
  /** Reads them in their order. */
  readonly load: (db: Db) => Promise<readonly StoredProvider[]>;
}

interface OpenedProvider<P> {
  readonly name: string;
  /** Fingerprint of the row and secrets that it was opened from. While it is unchanged, the connections stay open. */
  readonly fingerprint: string;
  readonly provider: P;
}

/**
 * The providers that administrators have saved, as last loaded by this process. Reloaded once it sees that
 * configuration has changed.
 */
export class OpenedProviders<P extends { close?(): Promise<void> }> implements SavedProviders<P> {
  private readonly parts: SavedProviderParts;
  private readonly kind: SavedProviderKind<P>;
  private opened: ReadonlyMap<string, OpenedProvider<P>> = new Map();
  private loaded: Promise<readonly StoredProvider[]> | undefined;

  constructor(parts: SavedProviderParts, kind: SavedProviderKind<P>) {
    this.parts = parts;
    this.kind = kind;
  }

  get(name: string): P | undefined {
    return this.opened.get(name.toLowerCase())?.provider;
  }

  names(): readonly string[] {
    return [...this.opened.values()].map(({ name }) => name);
  }

  /** Reloads the providers if their configuration changed; nearly free otherwise. */
  fresh(): Promise<void> | undefined {
    const checking = this.parts.configuration.ensureFresh();
    if (!checking && this.load() === this.loaded) return undefined;
    return this.refresh(checking);
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    for (const { provider } of this.opened.values()) await provider.close?.();
    this.opened = new Map();
  }

  private load(): Promise<readonly StoredProvider[]> {
    const { configuration } = this.parts;
    const { of, load } = this.kind;
    return configuration.get(`providers:${of.record.name}`, () => load(configuration.db));
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
      rows
        .filter((row) => this.kind.takes?.(row) !== false)
        .flatMap((row) => this.open(row, before) ?? [])
        .map((each) => [each.name.toLowerCase(), each] as const),
    );
    this.opened = now;
    this.loaded = loading;
    for (const [key, { provider }] of before) {
      // Operations in progress on it finish first.
      if (now.get(key)?.provider !== provider) void provider.close?.().catch(() => undefined);
    }
  }

  private open(row: StoredProvider, before: ReadonlyMap<string, OpenedProvider<P>>): OpenedProvider<P> | undefined {
    const { types, cipher, log } = this.parts;
    const { of, type: contract, defaultType } = this.kind;
    const { record } = of;
    const [id, name] = [recordId(record, row), String(row[record.name])];
    const typeName = row[`${record.name}Type`];
    const fingerprint = JSON.stringify(row);
    const known = before.get(name.toLowerCase());
    if (known?.fingerprint === fingerprint) return known;
    try {
      const type = types.get(contract, typeof typeName === 'string' ? typeName : (defaultType ?? ''));
      const options = optionValues(type.options, openOptions(of, cipher, row));
      return { name, fingerprint, provider: type.open({ id, name, options }) };
    } catch (error) {
      log.error(`${of.noun} skipped: its kind is unknown, or its secrets cannot be decrypted`, {
        object: record.name,
        id,
        error: error instanceof Error ? error.name : 'unknown',
      });
      return undefined;
    }
  }
}
