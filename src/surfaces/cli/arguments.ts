import { parseArgs } from 'node:util';
import { nearest } from '../../kernel/door/errors.ts';
import { UsageError } from './terminal.ts';

/** An option of a command: `value` describes its argument; without one it is a switch. */
export interface Option {
  readonly value?: string;
  readonly about: string;
  /** May be given more than once. */
  readonly many?: boolean;
}

/** The words and options after the command. */
export class Arguments {
  readonly words: readonly string[];
  private readonly values: ReadonlyMap<string, readonly string[]>;

  constructor(words: readonly string[], values: ReadonlyMap<string, readonly string[]>) {
    this.words = words;
    this.values = values;
  }

  /** Returns the arguments without the first word, the subcommand. */
  afterFirst(): Arguments {
    return new Arguments(this.words.slice(1), this.values);
  }

  /** Returns the value of an option, or undefined. */
  one(name: string): string | undefined {
    return this.values.get(name)?.[0];
  }

  all(name: string): readonly string[] {
    return this.values.get(name) ?? [];
  }

  has(name: string): boolean {
    return this.values.has(name);
  }
}

/**
 * Parses options and words. Throws UsageError for an unknown option, naming the nearest: a misspelled one would
 * silently do nothing.
 */
export function readArguments(args: readonly string[], options: Readonly<Record<string, Option>>): Arguments {
  const types = Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options: types,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const words: string[] = [];
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const option = options[token.name];
    if (!option) {
      const near = nearest(token.name, Object.keys(options))[0];
      throw new UsageError(`unknown option ${token.rawName}.${near === undefined ? '' : ` Did you mean --${near}?`}`);
    }
    if (option.value !== undefined && token.value === undefined)
      throw new UsageError(`--${token.name}: expected ${option.value} after it`);
    if (option.value === undefined && token.value !== undefined) throw new UsageError(`--${token.name} takes no value`);
    const known = values.get(token.name) ?? [];
    if (known.length > 0 && !option.many) throw new UsageError(`--${token.name} may be given only once`);
    values.set(token.name, [...known, token.value ?? '']);
  }
  return new Arguments(words, values);
}
