import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';

/** Throws UNKNOWN_PARAMETER for values that name a message: a new one is written. */
export function assertMergeValues(values: Parameters): void {
  const found = Object.keys(values).find((name) => /^(?:id|subscriberid)$/i.test(name));
  if (found === undefined) return;
  throw new PlatformError('UNKNOWN_PARAMETER', {
    field: found,
    message: `${found}: this call writes a new message; expected Object and ObjectID, the record that it is about.`,
  });
}
