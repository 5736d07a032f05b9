import type { CaseKind, EventCodeConfig } from '../file/event-layout.ts';

/** One row of an events file that is to be kept or told of. */
export interface EventRow {
  /** Its number among the records of the file, from 1. */
  readonly ordinal: number;
  readonly line: number;
  /** Kept; failed, for `message`; or repeated further down, where it is kept. */
  outcome: 'kept' | 'failed' | 'repeated';
  message: string | undefined;
  readonly provider: string;
  readonly code: string;
  readonly loan: string;
  /** The file or case number, where one says which case it is. */
  readonly key: string;
  readonly kind: CaseKind;
  readonly meaning: EventCodeConfig | undefined;
  /** When it happened, was created and was recorded, as the database reads it in the installation's time zone; '' where it is not said, and the latter two where nothing depends on them. */
  readonly at: string;
  readonly created: string;
  readonly recorded: string;
  /** Other values that a case or delay is made of, by the names of their columns; undefined where the kind needs none. */
  readonly values: Readonly<Record<string, string>> | undefined;
  /** Where its columns, and its name among them, stand in the piece's bytes. */
  readonly start: number;
  readonly end: number;
  readonly nameStart: number;
  readonly nameEnd: number;
  // What it turned out to belong to.
  firm: number;
  loanId: number;
  /** Which case it means, see `caseKey`; '' until its firm and loan are known. */
  caseKey: string;
  caseId: number;
  /** Whether an event made the case. */
  isCaseMade: boolean;
  /** The task that it completes or projects; its id is known once the task is found or made. */
  task: { readonly id: number } | undefined;
  delayId: number;
  eventId: number;
}

/** Rows of a file that are dealt with together. */
export interface RowPiece {
  readonly rows: EventRow[];
  /** The kept rows' 110 columns, as a copy takes them. */
  readonly bytes: Buffer;
  /** The number of the last record that is dealt with when the rows are. */
  readonly lastOrdinal: number;
}
