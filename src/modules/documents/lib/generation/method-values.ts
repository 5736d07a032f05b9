import { inlineHint, PlatformError } from '../../../../kernel/door/errors.ts';
import { parseSignature } from '../../../../kernel/door/signature.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import type { DocumentType } from './document-type.ts';

/**
 * Throws UNKNOWN_PARAMETER for a value that the Method of a document type does not use: it is misspelled, or meant for
 * another type.
 */
export function assertMethodValues({ name, method }: DocumentType, values: Parameters): void {
  const known = method === '' ? [] : expressionsOf(method);
  const unknown = Object.keys(values).find((sent) => !known.some((one) => one.toLowerCase() === sent.toLowerCase()));
  if (unknown === undefined) return;
  const takes = known.length > 0 ? `its Method uses ${known.join(', ')}` : 'its Method uses no values';
  throw new PlatformError('UNKNOWN_PARAMETER', {
    field: unknown,
    message: `${unknown.slice(0, 100)}: "${name}" has no such parameter; ${takes}${inlineHint(unknown, known)}.`,
  });
}

/** Returns the names in the braces of a Method. */
function expressionsOf(method: string): readonly string[] {
  const parts = parseSignature(method, { field: 'Method' }).parameters.flatMap(({ parts: all }) => all);
  const names = parts.flatMap((part) => ('expression' in part ? [part.expression] : []));
  return [...new Set(names.filter((each) => /^\w+$/.test(each)))];
}
