/** The environment of the command line: the program's streams and variables, or a test's. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly input: AsyncIterable<Uint8Array>;
  out(data: string | Uint8Array): Promise<void>;
  error(text: string): void;
  /** Serves an agent on these streams; `send` relays a message to the server. */
  readonly serveAgent?: (
    send: (body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Response>,
  ) => Promise<void>;
}

/** Exit codes. */
export const exitCodes = { done: 0, refused: 1, usage: 2, noAnswer: 3 } as const;

/** The command line is invalid; the message is followed by a hint to the help. */
export class UsageError extends Error {}

/** The server was not reached, or something else answered. */
export class NoAnswerError extends Error {}

/** The server answered with an error; the message is its body. */
export class RefusedError extends Error {}

const controls = /[\u0000-\u001f\u007f-\u009f]+/g;

/** Returns a value as one line without control characters, which would steer the terminal. */
export function plain(value: unknown): string {
  if (value === undefined || value === null) return '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).replace(controls, ' ').trim();
}

/** Greatest width of a column other than the last. */
const COLUMN_WIDTH_MAX = 60;

/** Formats rows in aligned columns, two spaces apart, with a header. */
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
