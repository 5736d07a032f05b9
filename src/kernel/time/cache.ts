import type { Clock } from './clock.ts';

/** Limits of a {@link Cache}. */
export interface CacheOptions<V> {
  /** Most entries; with `weigh`, most weight of all entries together. */
  readonly max: number;
  /** Returns the weight of a value, at least 1. Without it each entry weighs 1. */
  readonly weigh?: (value: Awaited<V>) => number;
  /** Age at which an entry expires, counted from the start of its load. Without it entries do not expire. */
  readonly age?: { readonly clock: Clock; readonly milliseconds: number };
  /** Frees what a value holds outside the cache, when its entry is dropped, replaced or deleted. */
  readonly dispose?: (value: V) => void;
}

interface CacheEntry<V> {
  readonly value: V;
  readonly at: number;
  /** 0 while a value whose weight depends on its load is loading. */
  weight: number;
  /** Whether it has been returned since it was added or last passed over. */
  isUsed: boolean;
}

/**
 * A bounded cache of a process. Values may be promises: concurrent callers share one load, and a load that fails is not
 * cached.
 *
 * When the cache is full, the oldest entry that has not been used is dropped; a used one is passed over once and counts
 * as new (second chance, also called the clock algorithm). So entries that are used stay, whatever else callers
 * ask for, and a hit costs one lookup in a map: it changes no order.
 */
export class Cache<K, V> {
  private readonly options: CacheOptions<V>;
  /** The entry that is considered next for dropping comes first. */
  private readonly entries = new Map<K, CacheEntry<V>>();
  private weight = 0;

  constructor(options: CacheOptions<V>) {
    this.options = options;
  }

  /** Number of entries, including expired ones that have not been dropped yet. */
  get size(): number {
    return this.entries.size;
  }

  /** Returns the value of a key; undefined if it is not cached or has expired. */
  get(key: K): V | undefined {
    return this.find(key, this.options.age?.milliseconds)?.value;
  }

  /**
   * Returns the value of a key, loading it if it is not cached or has expired. If `load` throws or its promise is
   * rejected, nothing is cached.
   *
   * @param ageMax age in milliseconds at which this caller does not accept the entry; default: that of the options
   */
  getOrLoad(key: K, load: () => V, ageMax = this.options.age?.milliseconds): V {
    const known = this.find(key, ageMax);
    if (known) return known.value;
    const at = this.now();
    const value = load();
    this.add(key, value, at);
    return value;
  }

  /** Caches a value in place of the key's present one. */
  set(key: K, value: V): void {
    this.add(key, value, this.now());
  }

  /** Forgets a key. A load in progress is completed for those who wait for it, but not cached. */
  delete(key: K): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.entries.delete(key);
    this.weight -= entry.weight;
    this.options.dispose?.(entry.value);
  }

  /** Forgets all keys. */
  clear(): void {
    for (const key of this.entries.keys()) this.delete(key);
  }

  private now(): number {
    return this.options.age?.clock.milliseconds() ?? 0;
  }

  private find(key: K, ageMax: number | undefined): CacheEntry<V> | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    if (ageMax !== undefined && ageMax !== Number.POSITIVE_INFINITY) {
      const age = this.now() - entry.at;
      // A clock that was set back must not extend the life of an entry.
      if (age < 0 || age >= ageMax) return undefined;
    }
    entry.isUsed = true;
    return entry;
  }

  private add(key: K, value: V, at: number): void {
    this.delete(key);
    const entry: CacheEntry<V> = { value, at, weight: 0, isUsed: false };
    this.entries.set(key, entry);
    const { weigh } = this.options;
    if (value instanceof Promise)
      value.then(
        (loaded: Awaited<V>) => weigh && this.addWeight(key, entry, weigh(loaded)),
        () => this.entries.get(key) === entry && this.delete(key),
      );
    if (!weigh) this.addWeight(key, entry, 1);
    else if (!(value instanceof Promise)) this.addWeight(key, entry, weigh(value as Awaited<V>));
  }

  /** Counts the weight of a new entry, and drops others until the limit holds. */
  private addWeight(key: K, entry: CacheEntry<V>, weight: number): void {
    // It may have been deleted or replaced while it was loading.
    if (this.entries.get(key) !== entry) return;
    entry.weight = Math.max(1, weight);
    this.weight += entry.weight;
    for (const [oldest, candidate] of this.entries) {
      if (this.weight <= this.options.max) return;
      // The new entry is about to be used; dropping one that is loading frees nothing and loses the shared load.
      if (candidate === entry || candidate.weight === 0) continue;
      if (candidate.isUsed) {
        candidate.isUsed = false;
        this.entries.delete(oldest);
        this.entries.set(oldest, candidate);
      } else this.delete(oldest);
    }
  }
}
