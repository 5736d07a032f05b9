import type { EventRow } from './event-row.ts';

/** A row that is being read. */
export type PooledRow = { -readonly [K in keyof EventRow]: EventRow[K] };

/**
 * The rows of two pieces, used again for later ones: the piece that is written and the one that is read. New rows for
 * each piece outlived the collections of new objects: the heap grew by 240 bytes per row until the next full one.
 */
export class RowPool {
  private rows: PooledRow[] = [];
  private other: PooledRow[] = [];
  private used = 0;

  /** Begins a piece. The rows of the previous one stay valid, those of the one before it do not. */
  begin(): void {
    [this.rows, this.other] = [this.other, this.rows];
    this.used = 0;
  }

  /** Returns a row that has failed so far and has no values. */
  next(ordinal: number, line: number): PooledRow {
    const row = (this.rows[this.used++] ??= emptyRow());
    row.ordinal = ordinal;
    row.line = line;
    row.outcome = 'failed';
    row.message = undefined;
    row.provider = row.code = row.loan = row.key = '';
    row.kind = 'Loan';
    row.meaning = undefined;
    row.at = row.created = row.recorded = '';
    row.values = undefined;
    row.start = row.end = row.nameStart = row.nameEnd = 0;
    row.firm = row.loanId = row.caseId = row.delayId = row.eventId = 0;
    row.caseKey = '';
    row.isCaseMade = false;
    row.task = undefined;
    return row;
  }
}

function emptyRow(): PooledRow {
  return {
    ordinal: 0,
    line: 0,
    outcome: 'failed',
    message: undefined,
    provider: '',
    code: '',
    loan: '',
    key: '',
    kind: 'Loan',
    meaning: undefined,
    at: '',
    created: '',
    recorded: '',
    values: undefined,
    start: 0,
    end: 0,
    nameStart: 0,
    nameEnd: 0,
    firm: 0,
    loanId: 0,
    caseKey: '',
    caseId: 0,
    isCaseMade: false,
    task: undefined,
    delayId: 0,
    eventId: 0,
  };
}
