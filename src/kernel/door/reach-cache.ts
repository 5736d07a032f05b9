/**
 * The records that a transaction has shown to be within its user's reach, so that they are not read again only to
 * check it. Only the kernel imports this file: a grant must come from a read or a write of the record itself.
 */
import type { Transaction } from '../database/store.ts';
import type { RecordType } from '../declare/record.ts';
import type { Context, Reach } from './context.ts';
import type { SavepointUndo } from './savepoint-undo.ts';

type RecordName = Pick<RecordType, 'name'>;

/** The reach of one user in one transaction. A part that runs as another user has its own. */
export class ReachCache implements Reach {
  private readonly granted = new Set<string>();
  private readonly created = new Set<string>();
  private readonly transaction: Pick<Transaction, 'elevation'>;
  /** Deeper than this, row security is off, and a row that is found says nothing about the user's reach. */
  private readonly elevation: number;
  private readonly undo: SavepointUndo;

  constructor(transaction: Pick<Transaction, 'elevation'>, undo: SavepointUndo) {
    this.transaction = transaction;
    this.elevation = transaction.elevation;
    this.undo = undo;
  }

  has(record: RecordName, id: number): boolean {
    return this.granted.has(keyOf(record, id));
  }

  hasCreated(record: RecordName, id: number): boolean {
    return this.created.has(keyOf(record, id));
  }

  /** Notes that the user has read or written a record. Ignored for what was found without row security. */
  grant(record: RecordName, id: number): void {
    if (!this.isElevated) this.add(this.granted, keyOf(record, id));
  }

  /** Whether code runs without the user's row security at the moment. */
  get isElevated(): boolean {
    return this.transaction.elevation !== this.elevation;
  }

  /** Notes that this transaction has inserted a record. */
  noteCreated(record: RecordName, id: number): void {
    this.add(this.created, keyOf(record, id));
    this.grant(record, id);
  }

  /**
   * Forgets records that are deleted, and all others that this transaction has not created: the database may have
   * deleted some of them too.
   */
  forgetDeleted(record: RecordName, ids: readonly number[]): void {
    for (const key of this.granted) if (!this.created.has(key)) this.granted.delete(key);
    for (const key of ids.map((id) => keyOf(record, id)))
      if (this.granted.delete(key)) this.undo.add(() => this.granted.add(key));
  }

  private add(keys: Set<string>, key: string): void {
    if (keys.has(key)) return;
    keys.add(key);
    this.undo.add(() => keys.delete(key));
  }
}

function keyOf({ name }: RecordName, id: number): string {
  return `${name}:${id}`;
}

/** The reach of a call without a transaction: nothing is remembered, since others may change or delete the records. */
export const noReach: Reach = { has: () => false, hasCreated: () => false };

/** Returns the cache to which the kernel adds what a call has read or written; undefined without a transaction. */
export function reachCacheOf({ reach }: Pick<Context, 'reach'>): ReachCache | undefined {
  return reach instanceof ReachCache ? reach : undefined;
}
