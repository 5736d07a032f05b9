import { FILE_OBJECT_TYPE, type FileObject } from '../../../../contracts/file-object.ts';
import { optionValues } from '../../../../contracts/provider-options.ts';
import type { Cipher } from '../../../../kernel/security/cipher.ts';
import type { Configuration } from '../../../../kernel/database/configuration.ts';
import type { Log } from '../../../../kernel/ports/log.ts';
import type { Providers, SavedProviders } from '../../../../kernel/ports/providers.ts';
import { locationColumns, openColumn, optionsOf, type StoredLocation } from './location-columns.ts';

interface OpenedLocation {
  readonly name: string;
  /** The row it was opened from; while that is unchanged, its connections stay. */
  readonly of: string;
  readonly files: FileObject;
}

/** Saved storage locations, available once a process has seen the configuration change. */
export class StoredLocations implements SavedProviders<FileObject> {
  private readonly configuration: Configuration;
  private readonly types: Providers;
  private readonly cipher: Cipher;
  private readonly log: Log;
  private opened: ReadonlyMap<string, OpenedLocation> = new Map();
  private loaded: Promise<readonly StoredLocation[]> | undefined;

  constructor(configuration: Configuration, types: Providers, cipher: Cipher, log: Log) {
    this.configuration = configuration;
    this.types = types;
    this.cipher = cipher;
    this.log = log;
  }

  get(name: string): FileObject | undefined {
    return this.opened.get(name.toLowerCase())?.files;
  }

  names(): readonly string[] {
    return [...this.opened.values()].map(({ name }) => name);
  }

  /** Refreshes the locations; costs nothing while they are fresh. */
  fresh(): Promise<void> | undefined {
    const checking = this.configuration.ensureFresh();
    if (!checking && this.load() === this.loaded) return undefined;
    return this.refresh(checking);
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    for (const { files } of this.opened.values()) await files.close?.();
    this.opened = new Map();
  }

  private load(): Promise<readonly StoredLocation[]> {
    return this.configuration.get('fileobjects', () =>
      this.configuration.db.query<StoredLocation>(`select ${locationColumns} from fileobject order by fileobjectid`),
    );
  }

  private async refresh(checking: Promise<void> | undefined): Promise<void> {
    await checking;
    const loading = this.load();
    if (loading === this.loaded) return;
    const rows = await loading;
    // Another caller may have refreshed meanwhile; nothing is awaited from here to the end.
    if (loading === this.loaded) return;
    const before = this.opened;
    const now = new Map(
      rows.flatMap((row) => this.open(row, before) ?? []).map((each) => [each.name.toLowerCase(), each] as const),
    );
    this.opened = now;
    this.loaded = loading;
    for (const [key, { files }] of before) {
      // Operations in progress on the old location finish.
      if (now.get(key)?.files !== files) void files.close?.().catch(() => undefined);
    }
  }

  private open(row: StoredLocation, before: ReadonlyMap<string, OpenedLocation>): OpenedLocation | undefined {
    const of = JSON.stringify(row);
    const known = before.get(row.fileobject.toLowerCase());
    if (known?.of === of) return known;
    try {
      const type = this.types.get(FILE_OBJECT_TYPE, row.fileobjecttype);
      const options = optionValues(
        type.options,
        optionsOf((name) => openColumn(this.cipher, name.toLowerCase(), row[name.toLowerCase()])),
      );
      const files = type.open({ id: row.fileobjectid, name: row.fileobject, options });
      return { name: row.fileobject, of, files };
    } catch (error) {
      this.log.error('storage location skipped: its kind is unknown, or its secrets cannot be decrypted', {
        fileObjectId: row.fileobjectid,
        error: error instanceof Error ? error.name : 'unknown',
      });
      return undefined;
    }
  }
}
