/** Writes of tables by calls of the kernel's functions, which are no SQL texts of the file that calls. */
import ts from 'typescript';
import { lineOf, literalText, propertyOf, walkNodes } from './source.ts';
import { type SourceLookup, tableOfRecord } from './sql-texts.ts';

/** A call that writes a table. */
export interface TableCall {
  readonly line: number;
  /** The table; the code of the argument if it is not known. */
  readonly table: string;
  readonly isKnown: boolean;
}

/** Functions that write the table whose name is their second argument, or take ids for it. */
const BY_NAME = new Set(['deleteWhere', 'deleteBefore', 'deleteAfterMonths', 'reserveIds']);
/**
 * Functions that write records of the type that is their second argument, or its member `record`, without the checks of
 * an operation.
 */
const BY_RECORD = new Set([
  'updateRow',
  'insertRow',
  'deleteRow',
  'deleteLockedRow',
  'deleteMany',
  'updateMany',
  'restoreRow',
  'undeleteParts',
  'commitWritten',
  'commitChange',
  'commitOne',
]);

/** Returns the tables that the calls of a file write. Of a record type that is not known by name it returns nothing. */
export function tableCalls(path: string, source: ts.SourceFile, lookup: SourceLookup): TableCall[] {
  const calls: TableCall[] = [];
  walkNodes(source, (node) => {
    const target = ts.isCallExpression(node) ? node.arguments[1] : undefined;
    if (!ts.isCallExpression(node) || target === undefined) return;
    const called = node.expression.getText(source);
    const line = lineOf(source, node);
    if (BY_NAME.has(called)) {
      const name = literalText(target);
      calls.push({ line, table: name ?? target.getText(source), isKnown: name !== undefined });
    } else if (BY_RECORD.has(called)) {
      const record = ts.isObjectLiteralExpression(target) ? propertyOf(target, 'record') : target;
      const table = record === undefined ? undefined : tableOfRecord(record, { path, source, lookup });
      if (table !== undefined) calls.push({ line, table, isKnown: true });
    }
  });
  return calls;
}
