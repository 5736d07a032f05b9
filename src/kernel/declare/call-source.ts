import type { Row } from '../door/answer.ts';
import type { Context } from '../door/context.ts';
import type { RecordType } from './record.ts';

/** A call that a record of configuration makes: as a built-in user, or as whoever uses the configuration. */
export interface ConfiguredCall {
  /** The column that names it, for messages. */
  readonly field: string;
  /** The operation with its parameters, such as `Foreclosure/Save?Status=Paid`. */
  readonly signature: string;
  /**
   * How the configuration concerns the operation: it calls it (the default), reads what it returns, or decides whether
   * others may call it.
   */
  readonly verb?: 'calls' | 'reads by' | 'decides on';
  /** Anything else on which the call depends, such as the template of a record to create. */
  readonly basis?: string;
}

/**
 * Reads the calls that records of a type configure, declared in a module's `reactions.ts`. Whoever saves such a record
 * must be allowed to make the calls that the save adds or changes.
 */
export interface CallSource<R extends RecordType = RecordType> {
  /** The record type, or a base of it. */
  readonly on: R;
  readonly doc: string;
  /** Returns what messages call the record, such as `Step "Pay"`. Default: nothing. */
  readonly place?: (row: Row<R>) => string;
  /** Returns the calls of a stored record. Absent: they are read with another record's, of which this one is a part. */
  readonly calls?: (ctx: Context, row: Row<R>) => Promise<readonly ConfiguredCall[]> | readonly ConfiguredCall[];
}

/** Declares the calls of a record type. `on` types the row. */
export function defineCallSource<R extends RecordType>(source: CallSource<R>): CallSource {
  // The registry calls it only with rows of this type or one derived from it.
  return source;
}
