import { didYouMean, PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { NAMES_LISTED_MAX } from './limits.ts';
import type { MatrixIndex } from './matrix-index.ts';
import { wireName } from './table.ts';
import { parseInputValue, type InputValue } from '../../../../lib/decision-tables/input-value.ts';

/** The inputs that a call sends, by lower-cased name: the spelling sent and the text of the value. */
export type SubmittedInputs = ReadonlyMap<string, { readonly name: string; readonly text: string }>;

/** Reads a call's inputs. An empty value counts as not sent: filled cells of that input do not match. */
export function readSubmittedInputs(rest: Parameters): SubmittedInputs {
  const sent = new Map<string, { name: string; text: string }>();
  for (const [name, raw] of Object.entries(rest)) {
    if (typeof raw === 'object' && raw !== null) throw bad(name, 'one value, not a list');
    sent.set(name.toLowerCase(), { name, text: raw === null ? '' : String(raw).trim() });
  }
  return sent;
}

/** Returns the values of a matrix's inputs, in order. Ignores other names: they may be inputs of a child matrix. */
export function inputValues({ table }: MatrixIndex, sent: SubmittedInputs): (InputValue | undefined)[] {
  return table.inputs.map(({ name, type }) => {
    const of = sent.get(wireName(name).toLowerCase());
    if (of === undefined || of.text === '') return undefined;
    const value = parseInputValue(of.text, type);
    if (type === 'Number' && value.number === undefined) throw bad(of.name, 'a number such as 1,500, $1500.50 or 500K');
    if (type === 'Date' && value.day === undefined) throw bad(of.name, 'a day such as 2026-01-31');
    return value;
  });
}

/** Returns the error for a name that is no input of the matrix or of a child matrix. */
export function unknownInputError(name: string, matrix: string, known: readonly string[]): PlatformError {
  const listed = known.slice(0, NAMES_LISTED_MAX).join(', ') || 'none';
  return new PlatformError('UNKNOWN_PARAMETER', {
    field: name.slice(0, 200),
    message:
      `${name.slice(0, 200)}: ${matrix} has no such input.${didYouMean(name, known)} ` +
      `Known: ${listed}${known.length > NAMES_LISTED_MAX ? ` and ${known.length - NAMES_LISTED_MAX} more` : ''}.`,
  });
}
