/** The SQL in the bodies of functions that a text defines, and of `do` blocks, by PostgreSQL's own parsers. */
import { parsePlPgSQLSync } from 'libpg-query';

type Node = Readonly<Record<string, unknown>>;

/** What the parser calls a statement of a function, as opposed to an expression of one. */
const STATEMENT_MODE = 0;

/** The body of a function that cannot be parsed. */
export class BodySyntaxError extends Error {}

/**
 * Returns the statements in the body of a `create function` or `do` statement, each as SQL; an expression as a
 * `select`. Of SQL that the body puts together at run time, the expression. `text` is the whole statement.
 *
 * @throws BodySyntaxError
 */
export function statementsInBody(statement: Node, text: string): string[] {
  const options = optionsOf(statement);
  const body = textIn(options.get('as'));
  if (body === undefined) return [];
  if (textIn(options.get('language'))?.toLowerCase() === 'sql') return [body];
  const found: string[] = [];
  collect(parseBody(text), found);
  return found;
}

function parseBody(text: string): unknown {
  try {
    return parsePlPgSQLSync(text);
  } catch (error) {
    // The parser throws plain errors.
    throw new BodySyntaxError(error instanceof Error ? error.message : String(error));
  }
}

function optionsOf(statement: Node): ReadonlyMap<string, unknown> {
  const options = (statement['options'] ?? statement['args'] ?? []) as readonly Node[];
  return new Map(
    options.flatMap((each): [string, unknown][] => {
      const option = each['DefElem'] as Node | undefined;
      return option === undefined ? [] : [[String(option['defname']), option['arg']]];
    }),
  );
}

/** The first text of a value, which can be in a list. */
function textIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { sval } = value as Node;
  if (typeof sval === 'string') return sval;
  for (const child of Object.values(value)) {
    const text = textIn(child);
    if (text !== undefined) return text;
  }
  return undefined;
}

function collect(value: unknown, found: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const expression = (value as Node)['PLpgSQL_expr'] as { query: string; parseMode: number } | undefined;
  if (expression !== undefined) {
    const { query, parseMode } = expression;
    found.push(parseMode === STATEMENT_MODE ? query : `select ${query.replace(/^[^'(]*?:=/, '')}`);
  }
  for (const child of Object.values(value)) collect(child, found);
}
