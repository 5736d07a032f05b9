import { didYouMean, PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { maskNumbers } from '../../../../kernel/security/mask.ts';
import type { ComposedMessage } from '../../lib/sending/compose-message.ts';
import { compositionParameters } from './message-parameters.ts';

/** Most characters of an unknown name that the error repeats. */
const NAME_CHARACTERS_MAX = 100;

/** Throws UNKNOWN_PARAMETER for values that name a message: a new one is written. */
export function assertMergeValues(values: Parameters): void {
  const found = Object.keys(values).find((name) => /^(?:id|subscriberid)$/i.test(name));
  if (found === undefined) return;
  throw new PlatformError('UNKNOWN_PARAMETER', {
    field: found,
    message: `${found}: this call writes a new message; expected Object and ObjectID, the record that it is about.`,
  });
}

/**
 * Throws UNKNOWN_PARAMETER for an unused value of a message without a template. There are no merge fields, so its name
 * must be misspelled, and a text or recipient would be missing.
 */
export function assertValuesUsed({ template, data }: ComposedMessage): void {
  const [unused] = data.unused;
  if (template || unused === undefined) return;
  const name = maskNumbers(unused).slice(0, NAME_CHARACTERS_MAX);
  const names = Object.keys(compositionParameters);
  throw new PlatformError('UNKNOWN_PARAMETER', {
    field: name,
    message:
      `${name}: without a Template, the operation takes no such parameter.${didYouMean(unused, names)} ` +
      `Known: ${names.join(', ')}.`,
  });
}
