import type { Clock } from '../time/clock.ts';
import type { Db } from './store.ts';

/** How old a process's knowledge of configuration may be, in milliseconds. Revocations and changes take effect within it. */
export const CONFIGURATION_AGE_MAX = 500;
/** So many things a process remembers at once; beyond that the one known for longest goes. Callers choose names and ids, known or not. */
const ENTRIES_MAX = 20_000;

/**
 * What each process remembers of configuration records (templates, settings, roles, statements). A trigger on every such
 * table raises one counter; a process that sees another count forgets everything. Looking costs two small reads a second.
 */
export class Configuration {
  /** Reads what is committed: what is remembered must never come from a transaction that may yet be undone. */
  readonly db: Db;
  /** What is remembered of committed configuration; of {@link TransactionConfiguration} the process's, otherwise itself. */
  get committed(): Configuration {
    return this;
  }
  private readonly clock: Clock;
  private readonly entries = new Map<string, Promise<unknown>>();
  private version = -1;
  private checkedAt = Number.NEGATIVE_INFINITY;
  private checking: Promise<void> | undefined;

  constructor(db: Db, clock: Clock) {
    this.db = db;
    this.clock = clock;
  }

  /** Waits until what is remembered is at most {@link CONFIGURATION_AGE_MAX} old. */
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
      this.entries.clear();
      this.version = row.version;
    }
    this.checkedAt = at;
  }

  /** Looks again at the next use; called after this process itself changed configuration. */
  expire(): void {
    this.checkedAt = Number.NEGATIVE_INFINITY;
    this.entries.clear();
  }

  /** The remembered value of a key, loaded when it is not known. A failed load is not remembered. */
  get<T>(key: string, load: () => Promise<T>): Promise<T> {
    const known = this.entries.get(key) as Promise<T> | undefined;
    if (known) return known;
    const loading = load();
    this.entries.set(key, loading);
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= ENTRIES_MAX) break;
      this.entries.delete(oldest);
    }
    loading.catch(() => this.entries.delete(key));
    return loading;
  }
}

/**
 * Configuration as a transaction sees it that has itself changed some: it reads its own state, and remembers that until it changes
 * more. Nothing of it reaches what the process remembers; a transaction that changes none never has one, and pays nothing.
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

  /** What the transaction sees is always up to date. */
  override ensureFresh(): undefined {
    return undefined;
  }
}
