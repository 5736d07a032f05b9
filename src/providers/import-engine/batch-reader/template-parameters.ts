import type { ImportTemplate } from '../../../contracts/import-engine.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';

/** Part of a value: text, or a column whose value in the row is inserted. */
type ValuePart = { readonly text: string } | { readonly column: string };

/** Parameters that an import type's ParameterString adds to every row. */
export interface TemplateParameters {
  /** By lower-cased name. They take precedence over the row's. */
  readonly values: ReadonlyMap<string, readonly ValuePart[]>;
}

/**
 * Returns the options that are parameters of the rows: all except those of the engine itself, in `own`. Braces insert
 * values only: a row's value can never become a module or operation.
 * @throws BAD_PARAMETER for misplaced braces
 */
export function templateParameters(
  { options }: Pick<ImportTemplate, 'options'>,
  own: ReadonlySet<string>,
): TemplateParameters {
  const values = new Map<string, readonly ValuePart[]>();
  for (const [name, value] of options) {
    if (own.has(name)) continue;
    if (/[{}]/.test(name)) throw parameterStringError('braces insert values only, never names of parameters');
    const parts = parseValueParts(value);
    if ((name === 'classname' || name === 'operation') && parts.some((part) => 'column' in part))
      throw parameterStringError('braces insert values only, never the name of a module or operation');
    values.set(name, parts);
  }
  return { values };
}

function parameterStringError(what: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', { field: 'ParameterString', message: `ParameterString: ${what}.` });
}

function parseValueParts(value: string): ValuePart[] {
  const parts: ValuePart[] = [];
  let from = 0;
  for (let at = value.indexOf('{'); at >= 0; at = value.indexOf('{', from)) {
    const end = value.indexOf('}', at);
    const column = end < 0 ? '' : value.slice(at + 1, end).trim();
    if (column === '' || column.includes('{'))
      throw parameterStringError(`expected {Column} in "${value.slice(at, at + 40)}"`);
    if (at > from) parts.push({ text: value.slice(from, at) });
    parts.push({ column });
    from = end + 1;
  }
  if (value.slice(from).includes('}')) throw parameterStringError('a closing brace has no opening brace');
  return from < value.length || parts.length === 0 ? [...parts, { text: value.slice(from) }] : parts;
}

/**
 * Returns the import type's values for one row, by lower-cased name.
 * @throws BAD_PARAMETER if the row lacks a column
 */
export function fillParameters({ values }: TemplateParameters, row: ReadonlyMap<string, string>): Map<string, string> {
  return new Map(
    [...values].map(([name, parts]) => [
      name,
      parts.map((part) => ('text' in part ? part.text : columnOf(row, part.column))).join(''),
    ]),
  );
}

/** Returns a value that is the same for all rows; undefined if there is none or columns are inserted. */
export function fixedValue({ values }: TemplateParameters, name: string): string | undefined {
  const parts = values.get(name);
  if (!parts || parts.some((part) => 'column' in part)) return undefined;
  return parts
    .map((part) => ('text' in part ? part.text : ''))
    .join('')
    .trim();
}

function columnOf(row: ReadonlyMap<string, string>, column: string): string {
  const value = row.get(column.toLowerCase());
  if (value === undefined)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'ParameterString',
      message: `ParameterString: the row has no column ${column.slice(0, 100)}.`,
    });
  return value;
}
