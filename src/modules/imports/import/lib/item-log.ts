import { assertNoCardNumbersIn } from './card-numbers.ts';
import { recordId, shapeOf, type ItemAnswer, type Row } from '../../../../kernel/door/answer.ts';
import { ROW_WARNINGS } from '../../lib/row-warnings.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { rowXml } from '../../../../kernel/render/xml.ts';
import type { XmlElement } from '../../../../kernel/xml/element.ts';
import { reportableError } from '../../lib/reportable-error.ts';

/** The outcome of one record of a submission: a Result of ImportResults, a row of the import log. */
export interface LogRow {
  readonly object: string;
  readonly objectId: number | null;
  readonly operation: string;
  readonly status: 'Success' | 'Warning' | 'Error';
  readonly reference: string | null;
  readonly message: string | null;
  readonly properties: string | null;
}

/** A record as it was stored, and how. */
export interface SavedRecord<T extends Row = Row> {
  readonly row: T;
  readonly operation: 'Insert' | 'Update';
  /** What the sender should know about it. */
  readonly warning?: string | undefined;
}

/** Describes a saved record; `existing` is its id if it existed before. */
export function savedRecord<T extends Row>(answer: ItemAnswer<T>, existing: unknown, warning?: string): SavedRecord<T> {
  return { row: answer.row, operation: existing === undefined ? 'Insert' : 'Update', warning };
}

/** Returns an element's reference, which its Result repeats. */
export function referenceOf(element: XmlElement): string | null {
  return element.attributes['Reference'] ?? null;
}

/** Collects the results of one item of a submission. A record without a Reference has that of its item. */
export class ItemLog {
  readonly rows: LogRow[] = [];
  /** The case that the item has found; null for a new one, and for stand-alone records. */
  foundCase: number | null = null;
  private readonly itemReference: string | null;
  private readonly call: Pick<Context, 'takeAlerts'>;
  private stored: number | null = null;

  /** @param call whose rule warnings are reported with the records they are about */
  constructor(item: XmlElement, call: Pick<Context, 'takeAlerts'>) {
    this.itemReference = referenceOf(item);
    this.call = call;
  }

  /** Logs a saved record. Its properties are included unless the sender gave a reference to recognize it by. */
  saved(record: RecordType, { row, operation, warning }: SavedRecord, reference: string | null): void {
    const quiet = reference !== null || this.itemReference !== null;
    const warnings = [
      ...(warning === undefined ? [] : [warning]),
      ...this.call.takeAlerts(...ROW_WARNINGS).map(({ text }) => text),
    ];
    this.rows.push({
      object: record.name,
      objectId: recordId(record, row),
      operation,
      status: warnings.length === 0 ? 'Success' : 'Warning',
      reference: reference ?? this.itemReference,
      message: warnings.length === 0 ? null : warnings.join(' '),
      properties: quiet ? null : rowXml(shapeOf(record), row),
    });
  }

  /** Notes which stored record the present nested save is about: the Result names it if the save fails. */
  concerns(id: number): void {
    this.stored = id;
  }

  /** Logs a record that existed already and was not changed. */
  unchanged(object: string, objectId: number, reference: string | null, message?: string): void {
    this.rows.push({
      object,
      objectId,
      operation: 'None',
      status: message === undefined ? 'Success' : 'Warning',
      reference: reference ?? this.itemReference,
      message: message ?? null,
      properties: null,
    });
  }

  failed(object: string, reference: string | null, message: string, operation = 'Save'): void {
    this.rows.push({
      object,
      objectId: this.stored,
      operation,
      status: 'Error',
      reference: reference ?? this.itemReference,
      message,
      properties: null,
    });
  }

  /**
   * Saves several nested records together and returns whether that succeeded. If one fails, all are rolled back and the
   * caller saves them one by one.
   */
  async saveTogether(ctx: Context, run: () => Promise<void>): Promise<boolean> {
    const reports = this.rows.length;
    try {
      await ctx.savepoint(run);
      return true;
    } catch (error) {
      this.rows.length = reports;
      if (!reportableError(ctx, error)) throw error;
      return false;
    }
  }

  /**
   * Saves one nested record so that it can fail alone: on failure it is rolled back and gets its own Result.
   * Returns the saved row, or undefined if it failed.
   */
  async saveNested<T extends Row>(
    ctx: Context,
    record: RecordType,
    element: XmlElement,
    run: () => Promise<SavedRecord<T> | undefined>,
  ): Promise<T | undefined> {
    const reference = referenceOf(element);
    this.stored = null;
    try {
      assertNoCardNumbersIn(ctx, record, element);
      const saved = await ctx.savepoint(run);
      if (!saved) return undefined;
      this.saved(record, saved, reference);
      return saved.row;
    } catch (error) {
      const known = reportableError(ctx, error);
      if (!known) throw error;
      this.failed(record.name, reference, known.message);
      return undefined;
    }
  }
}
