import type { Row } from '../door/answer.ts';
import type { Context } from '../door/context.ts';
import type { RecordType } from '../declare/record.ts';

/** Changes of a stored record, as subscribers see them. */
export const recordChanges = ['insert', 'update', 'delete', 'undelete'] as const;

/** One of {@link recordChanges}. */
export type RecordChange = (typeof recordChanges)[number];

/**
 * One changed record: its row after the change (before it, for a delete), and the declared names of the changed
 * columns.
 */
export interface RecordEvent {
  readonly row: Row;
  readonly changed: readonly string[];
}

/**
 * The port to subscribers outside the platform. It gets every change made through the record functions, by any
 * operation. (Reactions, in contrast, are the platform's own rules and run where records are saved.)
 */
export interface RecordEvents {
  /** Whether any subscriber wants this event. Called before every change, so it must be nearly free. */
  hasSubscribers(ctx: Context, record: RecordType, change: RecordChange): Promise<boolean>;
  /**
   * Writes the events in the changing transaction (for a delete, before the row is removed). `record` is the concrete
   * type.
   */
  publish(ctx: Context, record: RecordType, change: RecordChange, events: readonly RecordEvent[]): Promise<void>;
}
