import { namesHint, PlatformError } from '../../kernel/door/errors.ts';
import type { MergeData } from './merge-data.ts';
import { isName } from './merge-fields.ts';

/** Longest part of an expression that an error quotes. */
const QUOTED_CHARACTERS_MAX = 200;

/** Returns the error of an expression that cannot be evaluated. */
export function badExpression(field: string, expression: string, reason: string): PlatformError {
  return new PlatformError('BAD_TEMPLATE', {
    field,
    message: `${field}: {${expression.slice(0, QUOTED_CHARACTERS_MAX)}} cannot be evaluated: ${reason}`,
    details: { expression },
  });
}

/** Returns the error of an expression that finds nothing, with the nearest fields that the data have. */
export async function nothingFound(field: string, expression: string, data: MergeData): Promise<PlatformError> {
  const { parent } = data;
  const where = parent ? `${parent.record.name} ${parent.id}` : 'the values of the call';
  const quoted = expression.slice(0, QUOTED_CHARACTERS_MAX);
  const known = await data.names();
  const isKnown = known.some((name) => name.toLowerCase() === expression.toLowerCase());
  const hint = isKnown || !isName(lastNameOf(expression)) ? '' : namesHint(lastNameOf(expression), known);
  return new PlatformError('BAD_TEMPLATE', {
    field,
    message: `${field}: {${quoted}} ${isKnown ? 'is empty' : 'finds nothing'} in the data of ${where}.${hint}`,
    details: { expression },
  });
}

/** Returns the name that an expression ends with: of `//Loan/UPBAmount`, `UPBAmount`. */
function lastNameOf(expression: string): string {
  return /([A-Za-z_][\w-]*)[^\w]*$/.exec(expression)?.[1] ?? expression;
}
