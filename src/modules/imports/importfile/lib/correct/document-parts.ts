import type { DocumentPart, ImportEngine, PartIssue } from '../../../../../contracts/import-engine.ts';
import { maskDigits } from '../../../../../kernel/xml/schema-issue.ts';
import { maskNumbers } from '../../../../../kernel/security/mask.ts';
import type { OpenImportFile } from '../open-import-file.ts';
import type { FailedLine } from './failed-lines.ts';

/** An import whose failed parts are sent again as an import of their own. */
export interface PartImportFile extends OpenImportFile {
  readonly engine: ImportEngine & Required<Pick<ImportEngine, 'parts'>>;
}

/** Whether failed parts of an import can be sent again: its engine reads and rewrites them. */
export function hasParts(file: OpenImportFile): file is PartImportFile {
  return file.engine.parts !== undefined;
}

/** Whether a document was refused as a whole, so that all of its parts are sent again. */
export function isRefused({ status }: OpenImportFile): boolean {
  return status === 'Validation Error';
}

/** Returns the parts that make a refused document unacceptable, each with its first issue. */
export async function refusedParts({ engine, source, template }: PartImportFile): Promise<{
  readonly parts: readonly FailedLine[];
  /** Issues of the document around its parts, which no new value of a part resolves. */
  readonly around: readonly PartIssue[];
  readonly issues: readonly PartIssue[];
}> {
  const issues = await engine.parts.issues(source, template);
  const byLine = new Map<number, PartIssue>();
  for (const issue of issues) if (issue.line > 0 && !byLine.has(issue.line)) byLine.set(issue.line, issue);
  const parts = [...byLine.values()]
    .sort((a, b) => a.line - b.line)
    .map(({ line, column, message }): FailedLine => ({
      importLogId: null,
      line,
      label: `Item ${line}`,
      message,
      column: column ?? null,
    }));
  return { parts, around: issues.filter(({ line }) => line === 0), issues };
}

/** Names of columns whose values are personal numbers, whatever they look like. */
const PROTECTED = /ssn|taxid|itin/i;

/** Whether the values of a column are personal numbers. */
export function isProtected(column: string): boolean {
  return PROTECTED.test(column.split(/[/@+]/).at(-1) ?? '');
}

/** Returns a value of a part as people see it: personal numbers are masked. */
export function shownValue(column: string, value: string): string {
  return isProtected(column) ? maskDigits(value, 'SSN') : maskNumbers(value);
}

/**
 * Returns the column of a part that a message is about: the only one whose path ends with what the message begins with.
 */
export function columnNamedIn(message: string, { values, absent }: DocumentPart): string | undefined {
  const name = /^([A-Za-z_][\w/]*)(?::| is | has )/.exec(message)?.[1];
  if (name === undefined) return undefined;
  const named = [...Object.keys(values), ...absent].filter((column) => {
    const path = column.replace(/[+@]/g, '');
    return path === name || path.endsWith(`/${name}`);
  });
  // An element may be named like the one around it: the whole path is meant.
  return named.find((column) => column === name) ?? (named.length === 1 ? named[0] : undefined);
}
