/** A line of a source and why it failed. */
export interface FailedLine {
  readonly line: number;
  readonly reason: string;
}

/** Tells for each line of a source, in ascending order, whether it failed. */
export interface FailedLines {
  /** Returns the reason of a line; undefined if it did not fail. Lines must be requested in ascending order. */
  reasonOf(line: number): Promise<string | undefined>;
  /** Whether there are no more failed lines: the rest of the source need not be read. */
  readonly isExhausted: boolean;
  /** Closes the list. */
  close(): Promise<void>;
}

/** Starts reading a list of failed lines in ascending order. */
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

/** Returns the name of a corrections file: `loans.csv` becomes `loans-corrections.csv`. */
export function correctionsFileName(fileName: string, extensions: readonly string[]): string {
  const at = fileName.lastIndexOf('.');
  const [stem, extension] = at > 0 ? [fileName.slice(0, at), fileName.slice(at + 1).toLowerCase()] : [fileName, ''];
  const suffix = extensions.includes(extension) ? extension : (extensions[0] ?? 'txt');
  return `${stem.replace(/-corrections$/, '')}-corrections.${suffix}`;
}

/** Returns a reason as one line. */
export function oneLine(reason: string): string {
  return reason.replace(/[\0-\x1f\x7f]+/g, ' ').trim();
}
