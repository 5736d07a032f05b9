/** What the command line has around it: the program's own streams and environment, or those of a test. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly input: AsyncIterable<Uint8Array>;
  out(data: string | Uint8Array): Promise<void>;
  error(text: string): void;
  /** Serves an agent on these streams; `send` passes one of its messages on to the server. */
  readonly serveAgent?: (
    send: (body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Response>,
  ) => Promise<void>;
}

/** How a command ends, as its caller sees it. */
export const exitCodes = { done: 0, refused: 1, usage: 2, noAnswer: 3 } as const;

/** The command cannot be what was meant: it is told with how to get help. */
export class UsageError extends Error {}

/** The server was not reached, or what answered is none. */
export class NoAnswerError extends Error {}

/** The server's answer is an error; the message is what it said. */
export class RefusedError extends Error {}

const controls = /[\u0000-\u001f\u007f-\u009f]+/g;

/** Text of a record on one line, without what would steer the terminal. */
export function plain(value: unknown): string {
  if (value === undefined || value === null) return '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).replace(controls, ' ').trim();
}

/** The widest that a column but the last becomes. */
const COLUMN_WIDTH_MAX = 60;

/** Rows in aligned columns, two spaces apart, with a head. */
export function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cells = [head, ...rows.map((row) => row.map(plain))];
  const widths = head.map((_, column) =>
    Math.min(COLUMN_WIDTH_MAX, Math.max(...cells.map((row) => row[column]?.length ?? 0))),
  );
  return cells
    .map(
      (row) =>
        `${row
          .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
