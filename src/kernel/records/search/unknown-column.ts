import { didYouMean, PlatformError } from '../../door/errors.ts';
import type { RecordType } from '../../declare/record.ts';

/** Returns the error for an unknown column of a record type, suggesting the nearest known ones. */
export function unknownColumn(record: RecordType, name: string): PlatformError {
  const known = record.shown.map((c) => c.name);
  return new PlatformError('UNKNOWN_PARAMETER', {
    field: name,
    message: `${name}: ${record.name} has no such column.${didYouMean(name, known)} Known: ${known.join(', ')}.`,
  });
}
