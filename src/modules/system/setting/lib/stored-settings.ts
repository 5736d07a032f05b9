import type { Configuration } from '../../../../kernel/database/configuration.ts';
import type { Log } from '../../../../kernel/ports/log.ts';
import { parseValue } from '../../../../kernel/parameters/parse-value.ts';
import { expectedOf, type SettingDefinition, type Settings } from '../../../../kernel/declare/setting.ts';

/** Settings from the database, parsed by their declarations; missing ones have their default. */
export class StoredSettings implements Settings {
  private readonly configuration: Configuration;
  private readonly log: Log;
  private values: ReadonlyMap<string, string> = new Map();
  private loaded: Promise<ReadonlyMap<string, string>> | undefined;
  private parsed = new Map<string, unknown>();

  constructor(configuration: Configuration, log: Log) {
    this.configuration = configuration;
    this.log = log;
  }

  /** Refreshes the values; costs nothing while they are fresh. */
  fresh(): Promise<void> | undefined {
    const checking = this.configuration.ensureFresh();
    const loading = this.configuration.get('settings', () => this.load());
    if (!checking && loading === this.loaded) return undefined;
    return this.refresh(checking);
  }

  private async refresh(checking: Promise<void> | undefined): Promise<void> {
    await checking;
    const loading = this.configuration.get('settings', () => this.load());
    if (loading === this.loaded) return;
    this.values = await loading;
    this.parsed = new Map();
    this.loaded = loading;
  }

  private async load(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.configuration.db.query<{ setting: string; value: string | null }>(
      'select setting, value from setting',
    );
    return new Map(rows.flatMap((r) => (r.value === null ? [] : [[r.setting.toLowerCase(), r.value] as const])));
  }

  get<T>(definition: SettingDefinition<T>): T {
    if (!this.parsed.has(definition.name)) this.parsed.set(definition.name, this.parse(definition));
    return this.parsed.get(definition.name) as T;
  }

  private parse<T>(definition: SettingDefinition<T>): T {
    const text = this.values.get(definition.name.toLowerCase());
    if (text === undefined) return definition.default;
    try {
      const value = parseValue(definition.field, text, definition.name, { timeZone: 'UTC' }) ?? definition.default;
      return this.withinLimits(definition, value) as T;
    } catch {
      // Saving validates values; an invalid one from elsewhere must not stop the server.
      this.log.error('setting has a value that its type does not allow; its default is used', {
        setting: definition.name,
      });
      return definition.default;
    }
  }

  /** Returns the value, or the nearest that its limits allow: earlier versions saved others. */
  private withinLimits(definition: SettingDefinition, value: unknown): unknown {
    const expected = expectedOf(definition, value);
    if (expected === undefined) return value;
    const { range } = definition.limits;
    const used =
      range && typeof value === 'number' ? Math.min(range[1], Math.max(range[0], value)) : definition.default;
    this.log.warn('setting has a value beyond its limits; another is used', {
      setting: definition.name,
      expected,
      used: String(used),
    });
    return used;
  }
}
