import { parse, scan, type ScanToken } from 'libpg-query';

/**
 * PostgreSQL refuses patterns on text whose collation ignores case, as that of all columns does. A pattern is compared
 * under this collation instead: LIKE and ~ distinguish case, ILIKE and ~* ignore it.
 */
const PATTERN_COLLATION = ' collate "und-x-icu" ';

const patternKinds: ReadonlySet<unknown> = new Set(['AEXPR_LIKE', 'AEXPR_ILIKE', 'AEXPR_SIMILAR']);
const patternOperators: ReadonlySet<string> = new Set('~ ~* !~ !~* ~~ ~~* !~~ !~~*'.split(' '));
/** Functions that take a pattern or search for text, as PostgreSQL 15 also refuses under such a collation. */
const patternFunctions: ReadonlySet<string> = new Set(
  `regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array
   regexp_split_to_table regexp_substr replace split_part starts_with string_to_array strpos`.split(/\s+/),
);

type Node = Readonly<Record<string, unknown>>;

/** Returns a query with the collation for its patterns, except where it names one itself. */
export async function withPatternCollation(text: string): Promise<string> {
  const found: number[] = [];
  const functions: number[] = [];
  visit(await parse(text), (kind, node) => {
    if (kind === 'A_Expr' && isPattern(node) && !namesCollation(node)) found.push(Number(node['location']));
    if (kind === 'FuncCall' && isPatternFunction(node) && !namesCollation(node))
      functions.push(Number(node['location']));
  });
  if (functions.length > 0) {
    const { tokens } = await scan(text);
    for (const start of functions) found.push(endOfFirstArgument(tokens, start));
  }
  // The parser counts bytes.
  const bytes = Buffer.from(text);
  const cuts = [0, ...found.sort((a, b) => a - b), bytes.length];
  return cuts
    .slice(1)
    .map((end, i) => bytes.toString('utf8', cuts[i], end))
    .join(PATTERN_COLLATION);
}

function isPattern({ kind, name, lexpr }: Node): boolean {
  // Without a left side, ~ negates the bits of a number.
  return lexpr !== undefined && (patternKinds.has(kind) || patternOperators.has(lastName(name)));
}

function isPatternFunction({ funcname, funcformat }: Node): boolean {
  return funcformat === 'COERCE_EXPLICIT_CALL' && patternFunctions.has(lastName(funcname));
}

function lastName(names: unknown): string {
  return (names as readonly { String?: { sval?: string } }[]).at(-1)?.String?.sval ?? '';
}

/** Whether an expression says itself under which collation it compares. */
function namesCollation(expression: Node): boolean {
  let does = false;
  visit(expression, (kind) => {
    does ||= kind === 'CollateClause';
  });
  return does;
}

function visit(value: unknown, see: (kind: string, node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const member of value) visit(member, see);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [kind, child] of Object.entries(value)) {
    if (/^[A-Z]/.test(kind)) see(kind, child as Node);
    visit(child, see);
  }
}

/** Returns the position at which the first argument of the function that is called at `start` ends. */
function endOfFirstArgument(tokens: readonly ScanToken[], start: number): number {
  let depth = 0;
  for (const token of tokens.filter((each) => each.start >= start)) {
    if (depth === 1 && (token.text === ',' || token.text === ')')) return token.start;
    if (token.text === '(' || token.text === '[') depth++;
    if (token.text === ')' || token.text === ']') depth--;
  }
  throw new Error('a call without an end');
}
