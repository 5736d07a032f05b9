/**
 * The private tables of the queue library are named in one file: it alone is compared with a new version of the
 * library. The owner of these tables declares them beside it.
 */
import ts from 'typescript';
import { lineOf, sourcesUnder, walkNodes } from './source.ts';
import type { FileMap, Problem } from './tree.ts';

/** The file that has the statements. */
const STATEMENTS = 'src/surfaces/shared/pgboss-sql.ts';
const ALLOWED = new Set([STATEMENTS, 'src/surfaces/shared/tables.ts']);
const TABLE = /\bpgboss"?\s*\./i;

/** Refuses texts that name a table of the queue library in any other file of `src`. */
export function checkQueueTables(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  for (const { path, source } of sourcesUnder(files, 'src/')) {
    if (ALLOWED.has(path)) continue;
    walkNodes(source, (node) => {
      if (!isTextPiece(node) || !TABLE.test(node.text)) return;
      problems.push({
        file: path,
        line: lineOf(source, node),
        what: 'a table of the queue library in SQL',
        expected: `a function in ${STATEMENTS}`,
      });
    });
  }
  return problems;
}

/** Whether a node is a text, or a part of a template. */
function isTextPiece(node: ts.Node): node is ts.LiteralLikeNode {
  return ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
}
