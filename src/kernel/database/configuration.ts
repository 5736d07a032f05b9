import { Cache } from '../time/cache.ts';
import type { Clock } from '../time/clock.ts';
import type { Db } from './store.ts';

/** Age in milliseconds after which cached configuration is checked. Revocations and changes take effect within it. */
export const CONFIGURATION_AGE_MAX = 500;
/** Most cached entries. Callers choose names and ids freely, so keys are unbounded. */
const ENTRIES_MAX = 20_000;

/**
 * A process's cache of configuration records (templates, settings, roles, statements). A trigger on every such table
 * increments one counter; a process that sees a new count clears its cache. Checking costs two small reads a second.
 */
export class Configuration {
  /** Reads committed data: nothing from a transaction that may still roll back is cached. */
  readonly db: Db;
  /** The cache of committed configuration: itself, or the process's for a {@link TransactionConfiguration}. */
  get committed(): Configuration {
    return this;
  }
  private readonly clock: Clock;
  private readonly entries: Cache<string, Promise<unknown>>;
  private version = -1;
  private checkedAt = Number.NEGATIVE_INFINITY;
  private checking: Promise<void> | undefined;
  private clears = 0;

  constructor(db: Db, clock: Clock) {
    this.db = db;
    this.clock = clock;
    this.entries = new Cache({ max: ENTRIES_MAX, age: { clock, milliseconds: Number.POSITIVE_INFINITY } });
  }

  /**
   * Checks the cache if it is older than {@link CONFIGURATION_AGE_MAX}. Returns undefined where nothing is to be waited
   * for.
   */
  ensureFresh(): Promise<void> | undefined {
    const age = this.clock.milliseconds() - this.checkedAt;
    if (age >= 0 && age < CONFIGURATION_AGE_MAX) return undefined;
    this.checking ??= this.checkVersion().finally(() => {
      this.checking = undefined;
    });
    return this.checking;
  }

  private async checkVersion(): Promise<void> {
    const at = this.clock.milliseconds();
    const [row] = await this.db.query<{ version: number }>('select version from configurationversion');
    if (row && row.version !== this.version) {
      this.clear();
      this.version = row.version;
    }
    this.checkedAt = at;
  }

  /** Clears the cache; called after this process itself has changed configuration. */
  expire(): void {
    this.checkedAt = Number.NEGATIVE_INFINITY;
    this.clear();
  }

  private clear(): void {
    this.entries.clear();
    this.clears += 1;
  }

  /** Changes when the cache is cleared, since anything derived from its values may then be outdated. */
  get generation(): number {
    return this.clears;
  }

  /**
   * Returns the cached value of a key, loading it if needed. A failed load is not cached.
   *
   * @param ageMax age in milliseconds at which the value is loaded again even if no configuration has changed
   */
  get<T>(key: string, load: () => Promise<T>, ageMax?: number): Promise<T> {
    return this.entries.getOrLoad(key, load, ageMax) as Promise<T>;
  }
}

/**
 * Configuration as seen by a transaction that has changed some. It reads its own state and caches that until it changes
 * more. Nothing of it enters the process's cache. A transaction that changes no configuration has none of these.
 */
export class TransactionConfiguration extends Configuration {
  private readonly shared: Configuration;

  constructor(shared: Configuration, transaction: Db, clock: Clock) {
    super(transaction, clock);
    this.shared = shared;
  }

  override get committed(): Configuration {
    return this.shared;
  }

  /** A transaction's own view is always up to date. */
  override ensureFresh(): undefined {
    return undefined;
  }
}
