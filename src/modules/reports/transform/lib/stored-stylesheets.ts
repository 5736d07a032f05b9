import type { Configuration } from '../../../../kernel/database/configuration.ts';
import { namesHint, PlatformError } from '../../../../kernel/door/errors.ts';
import type { Stylesheet, Stylesheets } from '../../../../kernel/ports/platform.ts';

interface NamedStylesheet {
  readonly id: number;
  readonly name: string;
}

/** The stylesheets of Transform records, cached until configuration changes. */
export class StoredStylesheets implements Stylesheets {
  private readonly configuration: Configuration;

  constructor(configuration: Configuration) {
    this.configuration = configuration;
  }

  async find(nameOrId: string): Promise<Stylesheet> {
    const remembered = await this.configuration.get('transforms', () => this.all());
    // Not cached: another process may have saved it within the last half second.
    const found = findStylesheet(remembered, nameOrId) ?? findStylesheet(await this.all(), nameOrId);
    const text = found && (await this.configuration.get(`transform:${found.id}`, () => this.textOf(found.id)));
    if (found && text !== undefined) return { ...found, text };
    const names = remembered.map((t) => t.name);
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Transform',
      message: `Transform: there is no stylesheet "${nameOrId.slice(0, 100)}".` + namesHint(nameOrId, names),
    });
  }

  private all(): Promise<readonly NamedStylesheet[]> {
    return this.configuration.db.query<NamedStylesheet>(
      'select transformid as id, transform as name from transform order by transformid',
    );
  }

  private async textOf(id: number): Promise<string | undefined> {
    const [row] = await this.configuration.db.query<{ stylesheet: string | null }>(
      'select stylesheet from transform where transformid = $1::bigint',
      [id],
    );
    return row?.stylesheet ?? undefined;
  }
}

function findStylesheet(stylesheets: readonly NamedStylesheet[], nameOrId: string): NamedStylesheet | undefined {
  if (/^\d{1,15}$/.test(nameOrId)) return stylesheets.find((s) => s.id === Number(nameOrId));
  return stylesheets.find((s) => s.name.toLowerCase() === nameOrId.toLowerCase());
}
