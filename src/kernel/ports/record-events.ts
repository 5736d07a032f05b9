import type { Row } from '../door/answer.ts';
import type { Context } from '../door/context.ts';
import type { RecordType } from '../declare/record.ts';

/** What can happen to a stored record, in the words that listeners outside are told. */
export const recordChanges = ['insert', 'update', 'delete', 'undelete'] as const;

/** One of {@link recordChanges}. */
export type RecordChange = (typeof recordChanges)[number];

/** One record that changed: as it now is (or was, when deleted), and the declared names of the columns that have another value. */
export interface RecordEvent {
  readonly row: Row;
  readonly changed: readonly string[];
}

/**
 * The port through which changes of records are told outside. Reactions are rules of the platform itself and run where
 * records are saved; this hears of every change that goes through the record functions, whichever operation makes it.
 */
export interface RecordEvents {
  /** Whether anybody is told of such a change. Asked before each change, so it must cost next to nothing. */
  hasSubscribers(ctx: Context, record: RecordType, change: RecordChange): Promise<boolean>;
  /** Records the events in the transaction of the change; of a delete before the row goes. `record` is the concrete type. */
  publish(ctx: Context, record: RecordType, change: RecordChange, events: readonly RecordEvent[]): Promise<void>;
}
