import { didYouMean, PlatformError } from '../../../kernel/door/errors.ts';
import type { Log } from '../../../kernel/ports/log.ts';
import { Store, type Connection } from '../../../kernel/database/store.ts';

/** Connections that one process opens to each named database; a run uses one at a time. */
const CONNECTIONS_MAX = 4;

/**
 * Databases other than the installation's own, by name. They are declared only in the environment: whoever configures
 * import types chooses among them, and can neither reach another address nor read a password.
 */
export class NamedConnections {
  private readonly declared: ReadonlyMap<string, Connection>;
  private readonly log: Log;
  private readonly stores = new Map<string, Store>();

  constructor(declared: ReadonlyMap<string, Connection>, log: Log) {
    this.declared = new Map([...declared].map(([name, connection]) => [name.toLowerCase(), connection]));
    this.log = log;
  }

  /**
   * Returns the database with a name.
   * @throws BAD_PARAMETER with the known names
   */
  get(name: string): Store {
    const key = name.toLowerCase();
    const connection = this.declared.get(key);
    if (!connection) {
      const known = [...this.declared.keys()];
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Connection',
        message:
          `Connection: no database is declared as ${name.slice(0, 60)}.${didYouMean(name, known)} ` +
          `Known: ${known.join(', ') || 'none'}; they are declared in the environment.`,
      });
    }
    let store = this.stores.get(key);
    if (!store)
      this.stores.set(
        key,
        (store = new Store({
          connection,
          log: this.log,
          connectionsMax: CONNECTIONS_MAX,
          applicationName: 'casewright import',
        })),
      );
    return store;
  }

  async end(): Promise<void> {
    await Promise.all([...this.stores.values()].map((store) => store.end()));
  }
}
