import { CellError, matrixOf, type ErrorCode, type Matrix, type Scalar } from './cell-value.ts';

/** One corner of a reference: its position, from 0, and whether it moves with the formula. */
export interface Corner {
  readonly row: number;
  readonly column: number;
  readonly fixedRow: boolean;
  readonly fixedColumn: boolean;
}

/**
 * A parsed formula. References are as written; in the other cells of a shared formula they are shifted.
 */
export type Formula =
  | { readonly kind: 'value'; readonly value: Scalar | Matrix }
  | { readonly kind: 'reference'; readonly sheet: string | undefined; readonly from: Corner; readonly to: Corner }
  | { readonly kind: 'name'; readonly name: string; readonly sheet: string | undefined }
  | { readonly kind: 'call'; readonly name: string; readonly given: readonly Formula[] }
  | { readonly kind: 'sign'; readonly sign: string; readonly left: Formula; readonly right: Formula }
  | { readonly kind: 'prefix'; readonly sign: string; readonly of: Formula }
  | { readonly kind: 'missing' };

/** A formula has a syntax error or an unsupported feature. */
export class FormulaSyntaxError extends Error {}

/** Longest formula of a workbook. */
const FORMULA_CHARACTERS_MAX = 8_192;
/** Most levels of nested brackets, and most operators chained on one another's results. */
const DEPTH_MAX = 200;
const SIGNS_MAX = 500;
/** Columns and rows of a worksheet. */
export const SHEET_COLUMNS = 16_384;
/** See {@link SHEET_COLUMNS}. */
export const SHEET_ROWS = 1_048_576;

interface Token {
  readonly kind: 'number' | 'text' | 'error' | 'sheet' | 'cell' | 'columns' | 'rows' | 'call' | 'name' | 'sign';
  readonly text: string;
}

const kinds: readonly (readonly [Token['kind'], RegExp])[] = [
  ['text', /"(?:[^"]|"")*"/y],
  ['error', /#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A)/iy],
  ['sheet', /(?:'(?:[^']|'')+'|[\p{L}_][\p{L}\p{N}_.]*)!/uy],
  ['columns', /\$?[A-Z]{1,3}:\$?[A-Z]{1,3}(?![\p{L}\p{N}_.(])/iuy],
  ['rows', /\$?\d{1,7}:\$?\d{1,7}(?![\p{L}\p{N}_.(])/iuy],
  ['cell', /\$?[A-Z]{1,3}\$?\d{1,7}(?![\p{L}\p{N}_.(])/iuy],
  ['number', /(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?/iy],
  ['call', /[\p{L}_][\p{L}\p{N}_.]*\(/uy],
  ['name', /[\p{L}_\\][\p{L}\p{N}_.?\\]*/uy],
  ['sign', /<=|>=|<>|[=<>+\-*/^&%(),:{};@]/y],
];

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    if (/\s/.test(text.charAt(at))) {
      at++;
      continue;
    }
    const found = kinds
      .map(([kind, pattern]): Token | undefined => {
        pattern.lastIndex = at;
        const match = pattern.exec(text);
        return match ? { kind, text: match[0] } : undefined;
      })
      .find((token) => token !== undefined);
    if (!found)
      throw new FormulaSyntaxError(
        text.charAt(at) === '[' || /^'[^']*\[/.test(text.slice(at))
          ? 'it refers to another workbook or to a table, which are not followed'
          : `${text.charAt(at)} is not understood`,
      );
    if (found.kind === 'sheet' && found.text.includes('['))
      throw new FormulaSyntaxError('it refers to another workbook, which is not followed');
    tokens.push(found);
    at += found.text.length;
  }
  return tokens;
}

/** Precedence of operators, as in spreadsheet programs. */
const strengths: Readonly<Record<string, number>> = {
  '=': 1,
  '<': 1,
  '>': 1,
  '<=': 1,
  '>=': 1,
  '<>': 1,
  '&': 2,
  '+': 3,
  '-': 3,
  '*': 4,
  '/': 4,
  '^': 5,
};

/** Parses a formula without its leading `=`. @throws FormulaSyntaxError */
export function parseFormula(text: string): Formula {
  if (text.length > FORMULA_CHARACTERS_MAX)
    throw new FormulaSyntaxError(`it is longer than ${FORMULA_CHARACTERS_MAX} characters`);
  const reader = new Reader(tokensOf(text.replace(/^=/, '')));
  return reader.whole();
}

class Reader {
  private readonly tokens: readonly Token[];
  private at = 0;
  private depth = 0;
  private signs = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  whole(): Formula {
    const formula = this.expression(0);
    const rest = this.tokens[this.at];
    if (rest) throw new FormulaSyntaxError(`${rest.text.slice(0, 40)} is not expected here`);
    return formula;
  }

  private next(): Token {
    const token = this.tokens[this.at++];
    if (!token) throw new FormulaSyntaxError('it ends too early');
    return token;
  }

  private takes(sign: string): boolean {
    const token = this.tokens[this.at];
    if (token?.kind !== 'sign' || token.text !== sign) return false;
    this.at++;
    return true;
  }

  private expects(sign: string): void {
    if (!this.takes(sign)) throw new FormulaSyntaxError(`${sign} is missing`);
  }

  private expression(strength: number): Formula {
    if (++this.depth > DEPTH_MAX) throw new FormulaSyntaxError(`its brackets are nested more than ${DEPTH_MAX} deep`);
    let left = this.prefixed();
    for (;;) {
      const token = this.tokens[this.at];
      const own = token?.kind === 'sign' ? strengths[token.text] : undefined;
      if (token === undefined || own === undefined || own <= strength) break;
      this.at++;
      this.countSign();
      left = { kind: 'sign', sign: token.text, left, right: this.expression(own) };
    }
    this.depth--;
    return left;
  }

  private countSign(): void {
    if (++this.signs > SIGNS_MAX) throw new FormulaSyntaxError(`it has more than ${SIGNS_MAX} signs`);
  }

  /** Parses a unary operator, which binds more tightly than any binary one: -2^2 is 4. */
  private prefixed(): Formula {
    const signs: string[] = [];
    for (
      let token = this.tokens[this.at];
      token?.kind === 'sign' && /^[-+@]$/.test(token.text);
      token = this.tokens[this.at]
    ) {
      this.countSign();
      signs.push(this.next().text);
    }
    let formula = this.primary();
    while (this.takes('%')) {
      this.countSign();
      formula = { kind: 'prefix', sign: '%', of: formula };
    }
    for (const sign of signs.reverse()) formula = { kind: 'prefix', sign, of: formula };
    return formula;
  }

  private primary(): Formula {
    const token = this.next();
    switch (token.kind) {
      case 'number':
        return { kind: 'value', value: Number(token.text) };
      case 'text':
        return { kind: 'value', value: token.text.slice(1, -1).replaceAll('""', '"') };
      case 'error':
        return { kind: 'value', value: new CellError(token.text.toUpperCase() as ErrorCode) };
      case 'sheet':
        return this.onSheet(
          token.text
            .slice(0, -1)
            .replace(/^'(.*)'$/s, '$1')
            .replaceAll("''", "'"),
        );
      case 'cell':
      case 'columns':
      case 'rows':
        return this.reference(token, undefined);
      case 'call':
        return this.call(token.text.slice(0, -1));
      case 'name':
        return /^(?:true|false)$/i.test(token.text)
          ? { kind: 'value', value: token.text.toLowerCase() === 'true' }
          : { kind: 'name', name: token.text, sheet: undefined };
      case 'sign':
        return this.bracket(token.text);
    }
  }

  private bracket(sign: string): Formula {
    if (sign === '{') return this.constants();
    if (sign !== '(') throw new FormulaSyntaxError(`expected a value, found ${sign}`);
    const formula = this.expression(0);
    this.expects(')');
    return formula;
  }

  private onSheet(sheet: string): Formula {
    const token = this.next();
    if (token.kind === 'name') return { kind: 'name', name: token.text, sheet };
    if (token.kind === 'error') return { kind: 'value', value: new CellError('#REF!') };
    if (token.kind !== 'cell' && token.kind !== 'columns' && token.kind !== 'rows')
      throw new FormulaSyntaxError('a sheet is named without a cell');
    return this.reference(token, sheet);
  }

  private reference(token: Token, sheet: string | undefined): Formula {
    const [first = '', second] = token.text.split(':');
    const from = cornerOf(first, false);
    if (second !== undefined) return area(sheet, from, cornerOf(second, true));
    if (!this.takes(':')) return { kind: 'reference', sheet, from, to: from };
    const end = this.next();
    if (end.kind !== 'cell') throw new FormulaSyntaxError('a range ends with no cell');
    return area(sheet, from, cornerOf(end.text, true));
  }

  private call(name: string): Formula {
    const given: Formula[] = [];
    if (!this.takes(')')) {
      do given.push(this.isEmptyArgument() ? { kind: 'missing' } : this.expression(0));
      while (this.takes(','));
      this.expects(')');
    }
    return { kind: 'call', name: name.replace(/^_xlfn\.(?:_xlws\.)?/i, '').toUpperCase(), given };
  }

  private isEmptyArgument(): boolean {
    const token = this.tokens[this.at];
    return token?.kind === 'sign' && (token.text === ',' || token.text === ')');
  }

  private constants(): Formula {
    const rows: Scalar[][] = [[]];
    do {
      const minus = this.takes('-');
      const constant = this.primary();
      if (constant.kind !== 'value' || (typeof constant.value === 'object' && !(constant.value instanceof CellError)))
        throw new FormulaSyntaxError('a list in braces may contain only values');
      rows.at(-1)?.push(minus && typeof constant.value === 'number' ? -constant.value : constant.value);
      if (this.takes(';')) rows.push([]);
      else if (!this.takes(',')) break;
    } while (this.at < this.tokens.length);
    this.expects('}');
    if (rows.some((row) => row.length !== rows[0]?.length))
      throw new FormulaSyntaxError('the rows of a list in braces are of different lengths');
    return { kind: 'value', value: matrixOf(rows) };
  }
}

/** Parses a corner. A whole column or row extends from the first cell to the last. */
function cornerOf(text: string, isEnd: boolean): Corner {
  const [, fixColumn = '', letters = '', fixRow = '', digits = ''] = /^(\$?)([A-Z]*)(\$?)(\d*)$/i.exec(text) ?? [];
  const lettersNumber = Array.from(letters.toUpperCase()).reduce((sum, c) => sum * 26 + c.charCodeAt(0) - 64, 0);
  const [wholeRow, wholeColumn] = isEnd ? [SHEET_COLUMNS, SHEET_ROWS] : [1, 1];
  const column = letters === '' ? wholeRow : lettersNumber;
  const row = digits === '' ? wholeColumn : Number(digits);
  if (!isOnSheet(row, column)) throw new FormulaSyntaxError(`${text} is not a cell`);
  // Without a column, as in $5, the first dollar sign belongs to the row.
  const isRowFixed = fixRow !== '' || (letters === '' && fixColumn !== '');
  return {
    row: row - 1,
    column: column - 1,
    fixedRow: isRowFixed || digits === '',
    fixedColumn: letters === '' || fixColumn !== '',
  };
}

const isOnSheet = (row: number, column: number): boolean => column <= SHEET_COLUMNS && row <= SHEET_ROWS && row >= 1;

function area(sheet: string | undefined, one: Corner, other: Corner): Formula {
  const [top, bottom] = one.row <= other.row ? [one, other] : [other, one];
  const [left, right] = one.column <= other.column ? [one, other] : [other, one];
  const corner = (row: Corner, column: Corner): Corner => ({
    row: row.row,
    fixedRow: row.fixedRow,
    column: column.column,
    fixedColumn: column.fixedColumn,
  });
  return { kind: 'reference', sheet, from: corner(top, left), to: corner(bottom, right) };
}
