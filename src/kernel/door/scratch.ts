/**
 * What code remembers until the transaction ends. A token is declared once, where it is used, and names a value that
 * each transaction creates when it is first needed. All contexts of a transaction see the same value: nested calls, and
 * parts that run as a built-in user. A read without a transaction has the values of its call.
 */
import type { SavepointUndo } from './savepoint-undo.ts';

/** Names a value of a transaction. */
export interface ScratchToken<T> {
  /** What the value is, for people who debug. */
  readonly purpose: string;
  readonly create: (undo: SavepointUndo) => T;
}

/**
 * Declares a value of a transaction, such as a cache. A value that a rolled-back save point has created is discarded;
 * changes of an older value stay. Keep what must follow the save points in {@link marks}.
 */
export function scratch<T>(purpose: string, create: () => T): ScratchToken<T> {
  return { purpose, create };
}

/** Declares marks: keys that are added during a transaction. See `ctx.once`. */
export function marks<K extends string | number>(purpose: string): ScratchToken<Marks<K>> {
  return { purpose, create: (undo) => new Marks<K>(undo) };
}

/** The keys that a transaction has marked. A save point that is rolled back removes those that it added. */
export class Marks<K extends string | number> {
  private readonly keys = new Set<K>();
  private readonly undo: SavepointUndo;

  constructor(undo: SavepointUndo) {
    this.undo = undo;
  }

  /** Adds a key. Returns whether it is new. */
  add(key: K): boolean {
    if (this.keys.has(key)) return false;
    this.keys.add(key);
    this.undo.add(() => this.keys.delete(key));
    return true;
  }

  has(key: K): boolean {
    return this.keys.has(key);
  }

  get isEmpty(): boolean {
    return this.keys.size === 0;
  }
}

/** The values of one transaction, by token. */
export class ScratchValues {
  private readonly values = new Map<ScratchToken<unknown>, unknown>();
  private readonly undo: SavepointUndo;

  constructor(undo: SavepointUndo) {
    this.undo = undo;
  }

  /** Returns the value of a token; creates it when it is first needed. */
  get<T>(token: ScratchToken<T>): T {
    if (!this.values.has(token)) {
      this.values.set(token, token.create(this.undo));
      this.undo.add(() => this.values.delete(token));
    }
    return this.values.get(token) as T;
  }
}
