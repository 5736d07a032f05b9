import type { ListAnswer, TreeAnswer } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { namesHint, PlatformError } from '../../../../kernel/door/errors.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import { fillSignature, type Signature } from '../../../../kernel/door/signature.ts';
import { sourceRows } from './source-rows.ts';

/** Rows added at once; each such group is one queued message. */
const PORTION_ROWS = 500;
/** Most rows of one batch. */
const BATCH_ROWS_MAX = 2_000_000;

/** How the rows of a query become rows of a batch. */
export interface BatchOptions {
  readonly importFileId: number;
  readonly signature: Signature;
  /** Queue of rows that name none. */
  readonly queue: string | undefined;
  /** Whether the rows are queued only after all of them have been added. */
  readonly later: boolean;
  /** The query's column that says what each row is about; default ImportFileQueue. */
  readonly labelColumn?: string | undefined;
}

/** Turns the rows of a query into rows of a batch, holding at most {@link PORTION_ROWS} of them. */
export class BatchRows {
  private readonly ctx: Context;
  private readonly parts: BatchOptions;
  private readonly className: string;
  private readonly operation: string;
  private waiting: object[] = [];
  private count = 0;

  constructor(ctx: Context, parts: BatchOptions) {
    this.ctx = ctx;
    this.parts = parts;
    const [className = '', ...path] = parts.signature.route.split('/');
    this.className = className;
    this.operation = path.join('/');
  }

  async addRows(piece: ListAnswer | TreeAnswer): Promise<void> {
    const { columns, rows } = sourceRows(piece);
    if (columns && this.count === 0) this.assertColumns(columns);
    for (const row of rows) {
      if (++this.count > BATCH_ROWS_MAX)
        throw new PlatformError('TOO_LARGE', {
          message: `A batch can have at most ${BATCH_ROWS_MAX} rows; narrow the query.`,
        });
      this.waiting.push(await this.rowOf(row));
      if (this.waiting.length >= PORTION_ROWS) await this.flush();
    }
  }

  /** Adds the remaining rows and returns how many there were. */
  async end(): Promise<number> {
    await this.flush();
    return this.count;
  }

  /** Values cannot change the call: the signature is parsed before any value is filled in. */
  private async rowOf(row: Readonly<Record<string, RawValue>>): Promise<object> {
    const values = new Map(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]));
    const text = (name: string): string | undefined => {
      const value = values.get(name);
      return value === null || value === undefined || typeof value === 'object' ? undefined : String(value);
    };
    return {
      line: this.count,
      className: this.className,
      operation: this.operation,
      label: text(this.parts.labelColumn?.toLowerCase() ?? 'importfilequeue'),
      queue: text('queue'),
      parameters: await fillSignature(this.parts.signature, (expression) => values.get(expression.toLowerCase())),
    };
  }

  private assertColumns(columns: readonly string[]): void {
    const known = new Set(columns.map((name) => name.toLowerCase()));
    const expressions = this.parts.signature.parameters.flatMap(({ parts }) =>
      parts.flatMap((part) => ('expression' in part ? [part.expression] : [])),
    );
    const unknown = expressions.find((expression) => !known.has(expression.toLowerCase()));
    if (unknown === undefined) return;
    throw new PlatformError('BAD_SIGNATURE', {
      field: 'Signature',
      message: `Signature: the query has no column {${unknown.slice(0, 100)}}.` + namesHint(unknown, columns),
    });
  }

  private async flush(): Promise<void> {
    const rows = this.waiting;
    this.waiting = [];
    if (rows.length === 0) return;
    await this.ctx.call('importfilequeue/add', {
      ImportFileID: this.parts.importFileId,
      Rows: JSON.stringify(rows),
      Later: this.parts.later,
      ...(this.parts.queue === undefined ? {} : { Queue: this.parts.queue }),
    });
  }
}
