/** A line of a source and why it failed. */
export interface FailedLine {
  readonly line: number;
  readonly reason: string;
}

/** Follows a source in ascending order of lines, and knows of each whether it failed. */
export interface FailedLines {
  /** The reason of a line; undefined where it did not fail. Lines are asked for in ascending order. */
  reasonOf(line: number): Promise<string | undefined>;
  /** Whether there are no more: the rest of the source need not be read. */
  readonly isExhausted: boolean;
  /** Lets the list go. */
  close(): Promise<void>;
}

/** Begins to follow a list of failed lines in ascending order. */
export async function followFailed(failed: AsyncIterable<FailedLine>): Promise<FailedLines> {
  const iterator = failed[Symbol.asyncIterator]();
  let next = await iterator.next();
  return {
    get isExhausted() {
      return next.done === true;
    },
    async reasonOf(line) {
      while (next.done !== true && next.value.line < line) next = await iterator.next();
      if (next.done === true || next.value.line !== line) return undefined;
      const { reason } = next.value;
      next = await iterator.next();
      return reason;
    },
    async close() {
      await iterator.return?.();
    },
  };
}

/** A file name for what goes back to the sender: `loans.csv` becomes `loans-corrections.csv`. */
export function correctionsFileName(fileName: string, extensions: readonly string[]): string {
  const at = fileName.lastIndexOf('.');
  const [stem, extension] = at > 0 ? [fileName.slice(0, at), fileName.slice(at + 1).toLowerCase()] : [fileName, ''];
  return `${stem.replace(/-corrections$/, '')}-corrections.${extensions.includes(extension) ? extension : (extensions[0] ?? 'txt')}`;
}

/** A reason on one line. */
export function oneLine(reason: string): string {
  return reason.replace(/[\0-\x1f\x7f]+/g, ' ').trim();
}
