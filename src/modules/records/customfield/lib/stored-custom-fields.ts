import type { Configuration } from '../../../../kernel/database/configuration.ts';
import { withCustomFields } from '../../../../kernel/declare/custom-field.ts';
import type { Log } from '../../../../kernel/ports/log.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import { toCustomField, readCustomFields, type StoredCustomField } from './stored-custom-field.ts';

/**
 * The registry of an installation: declarations of modules plus the custom fields from the table. Rebuilt only if the
 * fields have changed, since all caches of record types depend on it.
 */
export class StoredCustomFields {
  readonly declared: Registry;
  private readonly configuration: Configuration;
  private readonly log: Log;
  private current: Registry;
  private of = '[]';
  private loaded: Promise<readonly StoredCustomField[]> | undefined;

  constructor(declared: Registry, configuration: Configuration, log: Log) {
    this.declared = declared;
    this.current = declared;
    this.configuration = configuration;
    this.log = log;
  }

  /** The registry at the last refresh. */
  get registry(): Registry {
    return this.current;
  }

  /** Refreshes the registry; costs nothing while it is fresh. */
  fresh(): Promise<void> | undefined {
    const checking = this.configuration.ensureFresh();
    if (!checking && this.load() === this.loaded) return undefined;
    return this.refresh(checking);
  }

  private load(): Promise<readonly StoredCustomField[]> {
    return this.configuration.get('customfields', async () =>
      (await readCustomFields(this.configuration.db)).filter(({ IsActive }) => IsActive === true),
    );
  }

  private async refresh(checking: Promise<void> | undefined): Promise<void> {
    await checking;
    const loading = this.load();
    if (loading === this.loaded) return;
    const fields = await loading;
    const of = JSON.stringify(fields);
    if (of !== this.of) {
      this.current = withCustomFields(this.declared, fields.map(toCustomField), (field) =>
        this.log.warn('custom field ignored: its record type does not exist, or a declared column has its name', {
          customFieldId: field.id,
        }),
      );
      this.of = of;
    }
    this.loaded = loading;
  }
}
