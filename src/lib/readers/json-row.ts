import { CELL_BYTES_MAX, formatCount } from './limits.ts';
import { checkDepth, RowProblem, RowValues } from './row-values.ts';

/**
 * Parses a JSON object into the values of a row. Unlike `JSON.parse` it rejects duplicate names and keeps long numbers
 * exactly as written.
 *
 * @throws RowProblem if it is malformed, or nested too deeply or too long
 */
export function jsonRow(text: string): Readonly<Record<string, string>> {
  const reader = new ObjectReader(text);
  reader.object('', 1);
  reader.end();
  return reader.row.values;
}

/** White space in JSON. */
const SPACE = /[ \t\r\n]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y;
/** `{"ContactItem": [` or `{"ContactItem": {`: how our own responses write a collection. */
const ITEMS = /\{[ \t\r\n]*"[A-Za-z]+Item"[ \t\r\n]*:[ \t\r\n]*(?=[[{])/y;

class ObjectReader {
  readonly row = new RowValues();
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  end(): void {
    this.space();
    if (this.at < this.text.length) throw this.wrong('the end');
  }

  object(prefix: string, depth: number): void {
    checkDepth(depth);
    this.take('{');
    if (this.isNext('}')) return;
    do {
      this.space();
      const name = this.string();
      this.take(':');
      this.value(prefix + name, depth);
    } while (this.isNext(','));
    this.take('}');
  }

  private value(name: string, depth: number): void {
    this.space();
    switch (this.text[this.at]) {
      case '{':
        if (this.matches(ITEMS)) {
          if (this.text[this.at] === '[') this.array(name, depth);
          else this.object(`${name}_0_`, depth + 1);
          return this.take('}');
        }
        return this.object(`${name}_`, depth + 1);
      case '[':
        return this.array(name, depth);
      default:
        return this.row.add(name, this.scalar());
    }
  }

  /** Objects become children by their position; plain values become a list. */
  private array(name: string, depth: number): void {
    this.take('[');
    if (this.isNext(']')) return;
    const list: string[] = [];
    let children = 0;
    do {
      this.space();
      if (this.text[this.at] === '{') this.object(`${name}_${children++}_`, depth + 1);
      else if (this.text[this.at] === '[')
        throw new RowProblem(`${name} is a list that contains a list; expected plain values or objects`);
      else list.push(this.scalar());
    } while (this.isNext(','));
    this.take(']');
    if (list.length === 0) return;
    if (children > 0) throw new RowProblem(`${name} contains plain values and objects; expected one or the other`);
    if (list.some((value) => value.includes(',')))
      throw new RowProblem(
        `${name} is a list with a value that contains a comma; expected values without commas, since a list ` +
          'is written with commas',
      );
    this.row.add(name, list.join(','));
  }

  private scalar(): string {
    if (this.text[this.at] === '"') return this.string();
    const from = this.at;
    if (!this.matches(SCALAR)) throw this.wrong('a value');
    const token = this.text.slice(from, this.at);
    return token === 'null' ? '' : token;
  }

  private string(): string {
    if (this.text[this.at] !== '"') throw this.wrong('a name or text in double quotes');
    const from = this.at;
    let end = from;
    do {
      end = this.text.indexOf('"', end + 1);
      if (end < 0) throw this.wrong('a closing quote');
    } while (this.isEscaped(end));
    if (end - from > CELL_BYTES_MAX)
      throw new RowProblem(`a text in it is longer than ${formatCount(CELL_BYTES_MAX)} characters`);
    const raw = this.text.slice(from + 1, end);
    if (/[\0-\x1f]/.test(raw)) throw this.wrong('no line end or other control character within a text');
    const value = raw.includes('\\') ? this.unescaped(from, end) : raw;
    this.at = end + 1;
    return value;
  }

  private isEscaped(at: number): boolean {
    let backslashes = 0;
    while (this.text[at - 1 - backslashes] === '\\') backslashes++;
    return backslashes % 2 === 1;
  }

  private unescaped(from: number, end: number): string {
    let value: string;
    try {
      value = JSON.parse(this.text.slice(from, end + 1)) as string;
    } catch {
      throw this.wrong('valid JSON escapes');
    }
    if (!value.isWellFormed()) throw new RowProblem('a text in it contains half of a surrogate pair');
    return value;
  }

  private take(sign: string): void {
    this.space();
    if (this.text[this.at] !== sign) throw this.wrong(sign);
    this.at++;
  }

  private isNext(sign: string): boolean {
    this.space();
    if (this.text[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  private space(): void {
    this.matches(SPACE);
  }

  private matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  private wrong(expected: string): RowProblem {
    return new RowProblem(`it is not well-formed at its character ${this.at + 1}; expected ${expected}`);
  }
}
