import { parseDecimal, type Decimal } from '../../../lib/decimals/decimal.ts';

/** A parsed expression. */
export type Expression =
  | { readonly kind: 'number'; readonly value: Decimal }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'constant'; readonly value: boolean | null }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'unary'; readonly sign: '-' | 'not'; readonly of: Expression }
  | { readonly kind: 'binary'; readonly sign: BinarySign; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'call'; readonly name: string; readonly given: readonly Expression[] };

/** Binary operators in canonical form. */
export type BinarySign = 'or' | 'and' | '=' | '<>' | '<' | '<=' | '>' | '>=' | '&' | '+' | '-' | '*' | '/' | '%';

/** One statement: the item that it assigns, and the expression. */
export interface Statement {
  /** The item, as written. */
  readonly target: string;
  readonly part: 'value' | 'confidence';
  readonly expression: Expression;
  readonly line: number;
}

/** A program has a syntax error. */
export class ProgramSyntaxError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Deepest nesting of brackets and functions. */
const DEPTH_MAX = 50;
/** Most operators and functions chained on one another's results: terms of a sum, or nested brackets. */
const HEIGHT_MAX = 500;
/** Most statements of a program. */
const STATEMENTS_MAX = 2_000;
/** Most tokens of a program. */
const TOKENS_MAX = 50_000;

/** Operators by precedence, the lowest first. */
const levels: readonly (readonly string[])[] = [
  ['or'],
  ['and'],
  ['=', '<>', '<', '<=', '>', '>='],
  ['&'],
  ['+', '-'],
  ['*', '/', '%'],
];
const sameSigns: Readonly<Record<string, string>> = { '==': '=', '!=': '<>' };

interface Token {
  readonly kind: 'number' | 'text' | 'name' | 'quoted' | 'sign' | 'end';
  readonly text: string;
  readonly line: number;
}

const tokenPattern = new RegExp(
  [
    String.raw`[^\S\n]+`,
    String.raw`\/\/[^\n]*`,
    String.raw`(?<number>\d+(?:\.\d+)?)`,
    String.raw`(?<text>'(?:[^'\n]|'')*'|"(?:[^"\n]|"")*")`,
    String.raw`(?<name>[\p{L}_][\p{L}\p{N}_]*)`,
    String.raw`\[(?<quoted>[^\]\n]{1,100})\]`,
    String.raw`(?<sign><=|>=|<>|!=|==|[-+*/%&=<>(),.;\n])`,
  ].join('|'),
  'uy',
);

/**
 * Parses a program: statements `Item = expression`, each on its own line or after a semicolon. A line continues while a
 * bracket is open.
 * @throws ProgramSyntaxError
 */
export function parseProgram(text: string): readonly Statement[] {
  const reader = new Reader(tokensOf(text));
  const statements: Statement[] = [];
  while (reader.skipEnds()) {
    if (statements.length >= STATEMENTS_MAX)
      throw new ProgramSyntaxError(reader.line, `there are more than ${STATEMENTS_MAX} statements`);
    statements.push(statementOf(reader));
  }
  return statements;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let open = 0;
  tokenPattern.lastIndex = 0;
  for (let at = 0; at < text.length; at = tokenPattern.lastIndex) {
    tokenPattern.lastIndex = at;
    const match = tokenPattern.exec(text);
    if (!match)
      throw new ProgramSyntaxError(
        line,
        `the sign ${JSON.stringify(text.slice(at, at + 1))} is not known, or a text is not closed`,
      );
    const token = tokenOf(match, line);
    if (token?.text === '(') open++;
    if (token?.text === ')') open--;
    if (match[0] === '\n') line++;
    if (token && !(match[0] === '\n' && open > 0)) tokens.push(token);
    if (tokens.length > TOKENS_MAX)
      throw new ProgramSyntaxError(line, `the program has more than ${TOKENS_MAX} signs, names and values`);
  }
  return [...tokens, { kind: 'end', text: 'the end', line }];
}

function tokenOf(match: RegExpExecArray, line: number): Token | undefined {
  const { number, text, name, quoted, sign } = match.groups ?? {};
  if (number !== undefined) return { kind: 'number', text: number, line };
  if (text !== undefined)
    return { kind: 'text', text: text.slice(1, -1).replaceAll(text.slice(0, 1).repeat(2), text.slice(0, 1)), line };
  if (name !== undefined) return { kind: 'name', text: name, line };
  if (quoted !== undefined) return { kind: 'quoted', text: quoted.trim(), line };
  return sign === undefined ? undefined : { kind: 'sign', text: sameSigns[sign] ?? sign, line };
}

class Reader {
  private readonly tokens: readonly Token[];
  private at = 0;
  private depth = 0;
  private readonly heights = new Map<Expression, number>();

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  get next(): Token {
    return this.tokens[this.at] ?? { kind: 'end', text: 'the end', line: 0 };
  }

  get line(): number {
    return this.next.line;
  }

  take(): Token {
    const token = this.next;
    this.at++;
    return token;
  }

  /** Consumes an operator or word if it is next. */
  takes(word: string): boolean {
    const { kind, text } = this.next;
    const isNext = (kind === 'sign' || kind === 'name') && text.toLowerCase() === word;
    if (isNext) this.at++;
    return isNext;
  }

  expect(word: string): void {
    if (!this.takes(word)) throw this.unexpected(`expected ${word}`);
  }

  unexpected(what: string): ProgramSyntaxError {
    const { text, line, kind } = this.next;
    return new ProgramSyntaxError(line, `${what}, found ${kind === 'end' ? 'the end' : shownToken(text)}`);
  }

  /** Skips ends of statements; returns false at the end of the program. */
  skipEnds(): boolean {
    while (this.next.kind === 'sign' && (this.next.text === '\n' || this.next.text === ';')) this.at++;
    return this.next.kind !== 'end';
  }

  /** Records the height of an expression above its operands, which is the recursion depth of its evaluation. */
  over(made: Expression, parts: readonly Expression[]): Expression {
    const height = 1 + Math.max(0, ...parts.map((part) => this.heights.get(part) ?? 0));
    if (height > HEIGHT_MAX)
      throw new ProgramSyntaxError(
        this.line,
        `more than ${HEIGHT_MAX} signs and functions work on one another; use sum(…), or statements of their own`,
      );
    this.heights.set(made, height);
    return made;
  }

  deeper<T>(run: () => T): T {
    if (++this.depth > DEPTH_MAX)
      throw new ProgramSyntaxError(this.line, `expressions are nested more than ${DEPTH_MAX} deep`);
    const made = run();
    this.depth--;
    return made;
  }
}

const shownToken = (text: string): string => (text === '\n' ? 'the end of the line' : text.slice(0, 40));

function statementOf(reader: Reader): Statement {
  const { line } = reader;
  const token = reader.take();
  if (token.kind !== 'name' && token.kind !== 'quoted')
    throw new ProgramSyntaxError(line, `expected the name of an item, found ${shownToken(token.text)}`);
  const hasPart = reader.takes('.');
  if (hasPart && !reader.takes('confidence')) throw reader.unexpected('expected Confidence');
  reader.expect('=');
  const expression = expressionOf(reader, 0);
  const { kind, text } = reader.next;
  if (kind !== 'end' && text !== '\n' && text !== ';') throw reader.unexpected('expected the end of the statement');
  return { target: token.text, part: hasPart ? 'confidence' : 'value', expression, line };
}

/** Parses operators of one level and the tighter ones. */
function expressionOf(reader: Reader, level: number): Expression {
  if (level === 2 && reader.takes('not')) return reader.deeper(() => unaryOf(reader, 'not', expressionOf(reader, 2)));
  const signs = levels[level];
  if (!signs) return operandOf(reader);
  let left = expressionOf(reader, level + 1);
  for (;;) {
    const sign = signs.find((one) => reader.takes(one));
    if (sign === undefined) return left;
    const right = expressionOf(reader, level + 1);
    left = reader.over({ kind: 'binary', sign: sign as BinarySign, left, right }, [left, right]);
  }
}

function unaryOf(reader: Reader, sign: '-' | 'not', of: Expression): Expression {
  return reader.over({ kind: 'unary', sign, of }, [of]);
}

function operandOf(reader: Reader): Expression {
  return reader.deeper(() => {
    if (reader.takes('-')) return unaryOf(reader, '-', operandOf(reader));
    if (reader.takes('(')) {
      const inner = expressionOf(reader, 0);
      reader.expect(')');
      return inner;
    }
    const { kind } = reader.next;
    if (kind === 'sign' || kind === 'end') throw reader.unexpected('expected a value, a name or a function');
    const token = reader.take();
    if (token.kind === 'number') return numberOf(token);
    if (token.kind === 'text') return { kind: 'text', value: token.text };
    if (token.kind === 'quoted') return { kind: 'name', name: token.text };
    return wordOf(reader, token);
  });
}

function numberOf({ text, line }: Token): Expression {
  const value = parseDecimal(text);
  if (!value) throw new ProgramSyntaxError(line, 'a number has more than 40 digits');
  return { kind: 'number', value };
}

const constants: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function wordOf(reader: Reader, { text }: Token): Expression {
  const constant = constants.get(text.toLowerCase());
  if (constant !== undefined) return { kind: 'constant', value: constant };
  if (!reader.takes('(')) return { kind: 'name', name: text };
  const given: Expression[] = [];
  if (!reader.takes(')')) {
    do given.push(expressionOf(reader, 0));
    while (reader.takes(','));
    reader.expect(')');
  }
  return reader.over({ kind: 'call', name: text.toLowerCase(), given }, given);
}
