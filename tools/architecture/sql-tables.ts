/**
 * The tables that an SQL text reads and writes, by PostgreSQL's own parser.
 *
 * A text with holes is parsed with placeholders in them. A text that is not a whole statement is parsed as what it can
 * be: a condition, a join, a common table expression.
 */
import { loadModule, parseSync, SqlError } from 'libpg-query';
import { BodySyntaxError, statementsInBody } from './function-bodies.ts';
import { repeatsLocks } from './repeated-locks.ts';
import type { Hole, Pieces } from './sql-texts.ts';

await loadModule();

/** The tables of one text, each once, with its schema if one is written. */
export interface TableUse {
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
  /** The code of the holes in place of a table that is read, or written. */
  readonly unknownReads: ReadonlySet<string>;
  readonly unknownWrites: ReadonlySet<string>;
  /** The names of the common table expressions that the text defines. */
  readonly defines: ReadonlySet<string>;
  /** Whether the plan decides how many rows the text changes: see {@link repeatsLocks}. */
  readonly repeatsLocks: boolean;
}

/** What the parser does not understand, with the part that it stopped at. */
export interface SyntaxProblem {
  readonly message: string;
}

type Node = Readonly<Record<string, unknown>>;

/** Beginnings of statements. Prose may begin alike; the parser decides. */
const BEGINNINGS = [
  String.raw`select\s`,
  String.raw`insert\s+into\s`,
  String.raw`update\s+(?:only\s+)?[\w.]+(?:\s+(?:as\s+)?\w+)?\s+set\s`,
  String.raw`delete\s+from\s`,
  String.raw`with\s+(?:recursive\s+)?(?:placeholder\s|\w+(?:\s*\([^)]*\))?\s+as\s)`,
  String.raw`copy\s+\S+.*\b(?:from|to)\b`,
  String.raw`(?:lock\s+table|truncate|merge\s+into|explain)\s`,
  String.raw`(?:create|alter|drop)\s+(?:\w+\s+)?table\s`,
  String.raw`create\s+(?:or\s+replace\s+)?(?:function|procedure|view)\s`,
  String.raw`do\s+(?:language\s+\w+\s+)?\$`,
];
const STATEMENT = new RegExp(String.raw`^[\s(]*(?:${BEGINNINGS.join('|')})`, 'is');

/** What a part of a statement can be, by the words around it. */
const SURROUNDINGS: readonly (readonly [string, string])[] = [
  ['select 1 from placeholder where ', ''],
  ['select ', ''],
  ['select 1 from ', ''],
  ['select 1 from placeholder ', ''],
  ['select 1 from placeholder where true ', ''],
  ['select 1 from placeholder cross join placeholder b ', ''],
  ['with ', ' select 1'],
  ['with placeholder as (select 1) ', ' select 1'],
  ['select 1 ', ''],
  ['insert into placeholder values (1) ', ''],
  ['update placeholder set ', ''],
  ['', ')'],
  ['select 1 from placeholder join placeholder c on true where (', ''],
];

/** Placeholders for a hole, tried in this order after its known texts. `@` is a name of its own. */
const PLACEHOLDERS = [
  '@',
  '',
  '@ = @',
  '@ as (select 1)',
  '@ text',
  '=',
  ', @',
  'and @',
  '1',
  'select 1',
  '@ (@)',
  'update',
  '@ =',
];
const PARSES_MAX = 300;
/** What a declared condition calls its parameter, such as `$P`; replaced by one of the same length. */
const NAMED_PARAMETER = /\$[A-Z]\b/g;

/**
 * Returns the tables of a text, or a problem if it begins like a statement, or has one of the tables and another sign
 * of SQL, but cannot be parsed; undefined for a text that is not SQL.
 */
export function tablesIn(pieces: Pieces, tables: ReadonlySet<string>): TableUse | SyntaxProblem | undefined {
  const text = pieces.map((each) => (typeof each === 'string' ? each : 'placeholder')).join('');
  const begins = STATEMENT.test(text);
  if (!begins && !namesTable(text, tables) && !namesUnknownTable(pieces)) return undefined;
  const statement = begins ? parsePieces(pieces, ['', '']) : undefined;
  if (statement !== undefined && 'tree' in statement) return useOf(statement, pieces);
  for (const around of SURROUNDINGS) {
    const part = parsePieces(pieces, around);
    if ('tree' in part) return useOf(part, pieces);
  }
  const isSql = namesTable(text, tables) ? begins || SIGN.test(text) : begins && /^\s*[a-z]/.test(text);
  return isSql ? { message: statement?.message ?? 'neither a statement nor a part of one' } : undefined;
}

const BEFORE_TABLE = /\b(?:from|join|into|update|using|table|truncate|copy)\s+(?:only\s+)?(?:public\s*\.\s*)?"?(\w+)/gi;
/** A further table of a `from` list, at the start of a part of a statement. */
const FURTHER_TABLE = /^\s*,\s*(?:public\s*\.\s*)?"?(\w+)"?(?:\s+(?:as\s+)?\w+)?\s*(?:,|\bwhere\b|\bjoin\b|$)/;
/** What SQL around the name of a table has, besides the word before it: a message says `merged into contact` too. */
const SIGNS = [
  String.raw`\b(?:select|insert|delete|set|where|join|returning|values|having|exists|lateral|limit|union)\b`,
  String.raw`\b(?:group|order)\s+by\b`,
  String.raw`=|::|\$\d`,
];
const SIGN = new RegExp(SIGNS.join('|'), 'i');
const COMMENT = /\/\*.*?\*\/|--[^\n]*/gs;

function namesTable(text: string, tables: ReadonlySet<string>): boolean {
  const code = text.replace(COMMENT, ' ');
  const names = [...code.matchAll(BEFORE_TABLE), FURTHER_TABLE.exec(code)].map((match) => match?.[1] ?? '');
  return names.some((name) => tables.has(name.toLowerCase()));
}

/** Whether a hole follows `from` or the like in a text in lower case. */
function namesUnknownTable(pieces: Pieces): boolean {
  return pieces.some(
    (each, n) =>
      typeof each !== 'string' && /\b(?:from|join|insert into|update)\s+(?:public\.)?"?$/.test(textAt(pieces, n - 1)),
  );
}

function textAt(pieces: Pieces, n: number): string {
  const piece = pieces[n];
  return typeof piece === 'string' ? piece : '';
}

interface Parsed {
  readonly tree: Node;
  /** What was parsed, with placeholders in the holes. */
  readonly text: string;
}

interface Filled {
  readonly text: string;
  /** Where each hole begins in the text. */
  readonly starts: readonly number[];
}

/** Parses the pieces between two texts, with the first placeholders that the parser accepts. */
function parsePieces(pieces: Pieces, [before, after]: readonly [string, string]): Parsed | SyntaxProblem {
  const holes = pieces.filter((piece) => typeof piece !== 'string');
  let parses = 0;
  let firstMessage: string | undefined;
  const attempt = (chosen: readonly number[], fixed: number): Parsed | undefined => {
    const filled = fill(pieces, chosen);
    parses += 1;
    const result = parseText(before + filled.text + after);
    if ('tree' in result) return result;
    firstMessage ??= result.message;
    // The placeholder at fault is mostly the last one before the place where the parser stopped.
    const at = result.at - before.length;
    const suspects = holes.map((_, n) => n).filter((n) => n >= fixed && (filled.starts[n] ?? 0) <= at);
    for (const suspect of suspects.reverse().slice(0, 2)) {
      const options = (holes[suspect]?.choices.length ?? 0) + PLACEHOLDERS.length;
      for (let option = (chosen[suspect] ?? 0) + 1; option < options && parses < PARSES_MAX; option += 1) {
        const changed = chosen.map((each, n) => (n === suspect ? option : each));
        const found = attempt(changed, suspect + 1);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };
  return (
    attempt(
      holes.map(() => 0),
      0,
    ) ?? { message: firstMessage ?? 'it cannot be parsed' }
  );
}

function fill(pieces: Pieces, chosen: readonly number[]): Filled {
  let text = '';
  const starts: number[] = [];
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text += piece;
      continue;
    }
    const n = starts.length;
    starts.push(text.length);
    const option = chosen[n] ?? 0;
    const name = text.endsWith('$') ? '1' : `hole_${String(n)}`;
    text += piece.choices[option] ?? (PLACEHOLDERS[option - piece.choices.length] ?? '').replaceAll('@', name);
  }
  return { text, starts };
}

function parseText(text: string): Parsed | (SyntaxProblem & { readonly at: number }) {
  try {
    return { tree: parseSync(text.replace(NAMED_PARAMETER, '$$1')) as unknown as Node, text };
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    return { message: error.message, at: error.sqlDetails?.cursorPosition ?? text.length };
  }
}

function useOf({ tree, text }: Parsed, pieces: Pieces): TableUse | SyntaxProblem {
  const use = { text, reads: new Set<string>(), writes: new Set<string>(), defines: new Set<string>() };
  try {
    walk(tree, use, new Set());
  } catch (error) {
    // The body of a function is parsed while the tree is walked.
    if (error instanceof SqlError || error instanceof BodySyntaxError) return { message: error.message };
    throw error;
  }
  const holes = pieces.filter((piece) => typeof piece !== 'string');
  return {
    unknownReads: takeUnknown(use.reads, holes),
    unknownWrites: takeUnknown(use.writes, holes),
    repeatsLocks: repeatsLocks(tree),
    ...use,
  };
}

/** Removes the placeholders from the names of tables and returns the code of the holes that they are for. */
function takeUnknown(names: Set<string>, holes: readonly Hole[]): Set<string> {
  const unknown = new Set<string>();
  for (const name of names) {
    const hole = /^(?:\w+\.)?hole_(\d+)/.exec(name);
    if (hole !== null) unknown.add(holes[Number(hole[1])]?.code ?? name);
    if (hole !== null || name === 'placeholder') names.delete(name);
  }
  return unknown;
}

interface Uses {
  /** What was parsed. */
  readonly text: string;
  readonly reads: Set<string>;
  readonly writes: Set<string>;
  readonly defines: Set<string>;
}

/** The field that holds the written table, by kind of statement. */
const WRITES = new Set(['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt', 'CreateStmt', 'AlterTableStmt']);

/** Collects the tables below a node. `defined` are the names of common table expressions in scope. */
function walk(value: unknown, uses: Uses, defined: ReadonlySet<string>): void {
  if (Array.isArray(value)) {
    for (const member of value) walk(member, uses, defined);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const node = value as Node;
  const scope = 'withClause' in node ? walkCommonTables(node['withClause'] as Node, uses, defined) : defined;
  for (const [name, child] of Object.entries(node)) {
    // A locking clause names tables of the same query, by their aliases.
    if (name === 'withClause' || name === 'LockingClause') continue;
    walkChild(name, child as Node, uses, scope);
  }
}

function walkChild(name: string, child: Node, uses: Uses, scope: ReadonlySet<string>): void {
  if (name === 'RangeVar') {
    addTable(child, uses.reads, scope);
  } else if (WRITES.has(name) || name === 'CopyStmt') {
    walkStatement(name, child, uses, scope);
  } else if (name === 'LockStmt' || name === 'TruncateStmt') {
    for (const each of child['relations'] as Node[]) addTable(each['RangeVar'] as Node, uses.writes, new Set());
  } else if (name === 'DropStmt') {
    for (const table of (child['objects'] as unknown[]).map((each) => textsIn(each).at(-1) ?? ''))
      uses.writes.add(table);
  } else {
    if (name === 'DoStmt' || name === 'CreateFunctionStmt') walkBody(child, uses);
    if (name === 'FuncCall') addSequence(child, uses);
    walk(child, uses, scope);
  }
}

/** Adds the tables of the statements in the body of a function, and of those that it puts together as texts. */
function walkBody(statement: Node, uses: Uses): void {
  for (const text of statementsInBody(statement, uses.text)) {
    const tree = parseSync(text) as unknown as Node;
    walk(tree, { ...uses, text }, new Set());
    for (const inner of textsIn(tree).filter((each) => STATEMENT.test(each))) {
      const put = parseText(inner);
      if ('tree' in put) walk(put.tree, { ...uses, text: inner }, new Set());
    }
  }
}

/** The text constants below a node. */
function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { sval } = value as Node;
  return typeof sval === 'string' ? [sval] : Object.values(value).flatMap(textsIn);
}

/** Taking the ids of a table is a part of writing it. */
function addSequence(call: Node, uses: Uses): void {
  const [table = '', ...names] = [...textsIn(call['args']), ...textsIn(call['funcname'])];
  if (names.includes('pg_get_serial_sequence')) uses.writes.add(table);
}

/** Common table expressions see those before them, and in a recursive list themselves and each other. */
function walkCommonTables(clause: Node, uses: Uses, defined: ReadonlySet<string>): ReadonlySet<string> {
  const expressions = ((clause['ctes'] ?? []) as Node[]).map((each) => each['CommonTableExpr'] as Node);
  const names = expressions.map((each) => String(each['ctename']));
  for (const name of names) uses.defines.add(name);
  const isRecursive = clause['recursive'] === true;
  expressions.forEach((each, n) => {
    walk(each['ctequery'], uses, new Set([...defined, ...(isRecursive ? names : names.slice(0, n))]));
  });
  return new Set([...defined, ...names]);
}

function walkStatement(kind: string, statement: Node, uses: Uses, defined: ReadonlySet<string>): void {
  const { relation, ...rest } = statement;
  const isRead = kind === 'CopyStmt' && statement['is_from'] !== true;
  if (relation !== undefined) addTable(relation as Node, isRead ? uses.reads : uses.writes, new Set());
  walk(rest, uses, defined);
}

function addTable(range: Node, names: Set<string>, defined: ReadonlySet<string>): void {
  const schema = range['schemaname'] as string | undefined;
  const name = String(range['relname']);
  if (schema === undefined && defined.has(name)) return;
  names.add(schema === undefined || schema === 'public' ? name : `${schema}.${name}`);
}
