import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Cache } from '../../../src/kernel/time/cache.ts';
import { fixedClock } from '../../../src/kernel/time/clock.ts';

const START = '2026-03-02T10:00:00.000Z';

/** Returns a promise with the functions that settle it. */
function deferred<T>(): PromiseWithResolvers<T> {
  return Promise.withResolvers<T>();
}

/** Returns whether a key is cached, without using its entry. */
function isCached<V>(cache: Cache<string, V>, key: string): boolean {
  const before = cache.size;
  let isLoaded = false;
  const stop = new Error('not cached');
  try {
    cache.getOrLoad(key, () => {
      isLoaded = true;
      throw stop;
    });
  } catch (error) {
    assert.equal(error, stop);
  }
  assert.equal(cache.size, before);
  return !isLoaded;
}

describe('a cache of values', () => {
  it('loads a key once and then returns the same value, also if that is undefined', () => {
    const cache = new Cache<string, number | undefined>({ max: 10 });
    let loads = 0;
    const load = (): undefined => {
      loads++;
      return undefined;
    };
    assert.equal(cache.getOrLoad('a', load), undefined);
    assert.equal(cache.getOrLoad('a', load), undefined);
    assert.equal(loads, 1);
    assert.equal(cache.size, 1);
  });

  it('caches nothing if the loader throws', () => {
    const cache = new Cache<string, number>({ max: 10 });
    assert.throws(() =>
      cache.getOrLoad('a', () => {
        throw new Error('no');
      }),
    );
    assert.equal(cache.size, 0);
    assert.equal(
      cache.getOrLoad('a', () => 7),
      7,
    );
  });

  it('keeps entries that are used, whatever number of other keys is asked for', () => {
    const cache = new Cache<string, number>({ max: 10 });
    cache.set('settings', 1);
    for (let i = 0; i < 1_000; i++) {
      assert.equal(cache.get('settings'), 1);
      cache.set(`unknown ${i}`, i);
      assert.ok(cache.size <= 10);
    }
  });

  it('drops the oldest entry if none has been used', () => {
    const cache = new Cache<string, number>({ max: 2 });
    for (const key of ['a', 'b', 'c']) cache.set(key, 1);
    assert.deepEqual(
      ['a', 'b', 'c'].map((key) => isCached(cache, key)),
      [false, true, true],
    );
  });

  it('disposes of each value once: when it is dropped, replaced, deleted or cleared', () => {
    const disposed: number[] = [];
    const cache = new Cache<string, number>({ max: 2, dispose: (value) => disposed.push(value) });
    cache.set('a', 1);
    cache.set('a', 2);
    cache.set('b', 3);
    cache.set('c', 4);
    cache.delete('b');
    cache.delete('b');
    cache.clear();
    assert.deepEqual(disposed, [1, 2, 3, 4]);
  });
});

describe('a cache with an age', () => {
  it('expires entries at their age, and when the clock is set back', () => {
    const clock = fixedClock(START);
    const cache = new Cache<string, number>({ max: 10, age: { clock, milliseconds: 500 } });
    cache.set('a', 1);
    clock.advance(499);
    assert.equal(cache.get('a'), 1);
    clock.advance(1);
    assert.equal(cache.get('a'), undefined);
    cache.set('b', 2);
    clock.advance(-1);
    assert.equal(cache.get('b'), undefined);
  });

  it('lets a caller ask for a younger entry, which replaces the present one', () => {
    const clock = fixedClock(START);
    const cache = new Cache<string, number>({ max: 10, age: { clock, milliseconds: Number.POSITIVE_INFINITY } });
    cache.set('a', 1);
    clock.advance(100);
    assert.equal(
      cache.getOrLoad('a', () => 2, 101),
      1,
    );
    assert.equal(
      cache.getOrLoad('a', () => 2, 100),
      2,
    );
    assert.equal(cache.get('a'), 2);
  });

  it('counts the age from the start of a load: what was read then may have changed since', async () => {
    const clock = fixedClock(START);
    const cache = new Cache<string, Promise<number>>({ max: 10, age: { clock, milliseconds: 500 } });
    const slow = deferred<number>();
    const first = cache.getOrLoad('a', () => slow.promise);
    clock.advance(500);
    assert.equal(await cache.getOrLoad('a', () => Promise.resolve(2)), 2);
    slow.resolve(1);
    assert.equal(await first, 1);
    assert.equal(await cache.get('a'), 2);
  });
});

describe('a cache of promises', () => {
  it('shares one load among concurrent callers', async () => {
    const cache = new Cache<string, Promise<number>>({ max: 10 });
    let loads = 0;
    const load = (): Promise<number> => Promise.resolve(++loads);
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => cache.getOrLoad('a', load))), [1, 1, 1]);
  });

  it('does not cache a load that fails, and reports it to all who waited for it', async () => {
    const cache = new Cache<string, Promise<number>>({ max: 10 });
    const failing = deferred<number>();
    const waiting = [1, 2].map(() => cache.getOrLoad('a', () => failing.promise));
    failing.reject(new Error('no'));
    for (const one of waiting) await assert.rejects(one, /no/);
    assert.equal(cache.size, 0);
    assert.equal(await cache.getOrLoad('a', () => Promise.resolve(1)), 1);
  });

  it('does not drop the entry that replaced one whose load fails later', async () => {
    const cache = new Cache<string, Promise<number>>({ max: 10 });
    const failing = deferred<number>();
    const first = cache.getOrLoad('a', () => failing.promise);
    cache.clear();
    cache.set('a', Promise.resolve(2));
    failing.reject(new Error('no'));
    await assert.rejects(first);
    assert.equal(await cache.get('a'), 2);
  });

  it('weighs values once they are loaded, and never drops the newest or one that is loading', async () => {
    const cache = new Cache<string, Promise<number>>({ max: 10, weigh: (value) => value });
    const slow = deferred<number>();
    const loading = cache.getOrLoad('slow', () => slow.promise);
    await cache.getOrLoad('a', () => Promise.resolve(4));
    await cache.getOrLoad('b', () => Promise.resolve(6));
    assert.equal(cache.size, 3);
    await cache.getOrLoad('large', () => Promise.resolve(11));
    assert.deepEqual(
      ['slow', 'a', 'b', 'large'].map((key) => isCached(cache, key)),
      [true, false, false, true],
    );
    slow.resolve(9);
    await loading;
    assert.deepEqual(
      ['slow', 'large'].map((key) => isCached(cache, key)),
      [true, false],
    );
  });
});

/** The documented behavior, with a list that is searched from its start each time. */
class PlainCache {
  private list: { readonly key: string; value: number; weight: number; at: number; isUsed: boolean }[] = [];
  private readonly max: number;
  private readonly age: number;

  constructor(max: number, age: number) {
    this.max = max;
    this.age = age;
  }

  get(key: string, now: number): number | undefined {
    const entry = this.list.find((one) => one.key === key);
    if (!entry || now < entry.at || now - entry.at >= this.age) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  set(key: string, value: number, now: number): void {
    this.delete(key);
    const added = { key, value, weight: Math.max(1, value), at: now, isUsed: false };
    this.list.push(added);
    while (this.list.reduce((sum, { weight }) => sum + weight, 0) > this.max) {
      const oldest = this.list.find((one) => one !== added);
      if (!oldest) return;
      this.list = this.list.filter((one) => one !== oldest);
      if (oldest.isUsed) this.list.push({ ...oldest, isUsed: false });
    }
  }

  delete(key: string): void {
    this.list = this.list.filter((one) => one.key !== key);
  }

  clear(): void {
    this.list = [];
  }

  get size(): number {
    return this.list.length;
  }
}

it('a cache does the same as a list that is searched from its start', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('get' as const), key }) },
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('set' as const), key, value: fc.integer({ min: 0, max: 6 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), key }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('wait' as const), milliseconds: fc.integer({ min: -20, max: 60 }) }),
    },
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.array(step, { maxLength: 120 }), (max, steps) => {
      const clock = fixedClock(START);
      const cache = new Cache<string, number>({ max, weigh: (value) => value, age: { clock, milliseconds: 100 } });
      const plain = new PlainCache(max, 100);
      for (const one of steps) {
        if (one.kind === 'wait') clock.advance(one.milliseconds);
        else if (one.kind === 'clear') {
          cache.clear();
          plain.clear();
        } else if (one.kind === 'delete') {
          cache.delete(one.key);
          plain.delete(one.key);
        } else if (one.kind === 'set') {
          cache.set(one.key, one.value);
          plain.set(one.key, one.value, clock.milliseconds());
        } else assert.equal(cache.get(one.key), plain.get(one.key, clock.milliseconds()));
        assert.equal(cache.size, plain.size);
      }
    }),
    { numRuns: 500 },
  );
});
