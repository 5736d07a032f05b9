import { SaxesParser } from 'saxes';
import type { RuleVerdict } from '../../../contracts/rule-validator.ts';
import { maskedStart } from '../../../kernel/security/mask.ts';

/** Longest reported exception or warning, in characters. */
const MESSAGE_CHARACTERS_MAX = 1_000;
/** Most exceptions, and most warnings, reported per rule. */
const MESSAGES_MAX = 100;
/** Longest reported parser error, in characters. */
const FAULT_CHARACTERS_MAX = 200;

type Kind = 'exception' | 'warning';
const kinds: ReadonlyMap<string, Kind> = new Map([
  ['exception', 'exception'],
  ['warning', 'warning'],
]);

/**
 * What a stylesheet's output says: the texts of its `<Exception>` and `<Warning>` elements, in whatever case, prefix or
 * depth they stand, without markup. The output need not have one root. Where it can be read as nothing, the rule has
 * failed: what may have been meant as an exception is never passed over.
 */
export function parseVerdict(output: string): RuleVerdict {
  const exceptions: string[] = [];
  const warnings: string[] = [];
  const verdict = { exceptions, warnings, output };
  // Most rules have nothing to say most of the time.
  if (!output.includes('<')) return verdict;
  let inside: { readonly kind: Kind; depth: number; text: string } | undefined;
  let fault: string | undefined;
  const parser = new SaxesParser({ fragment: true });
  parser.on('opentag', ({ name }) => {
    if (inside) inside.depth++;
    else {
      const kind = kinds.get(name.slice(name.indexOf(':') + 1).toLowerCase());
      if (kind) inside = { kind, depth: 0, text: '' };
    }
  });
  const add = (text: string): void => {
    if (inside && inside.text.length < 2 * MESSAGE_CHARACTERS_MAX) inside.text += text;
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', () => {
    if (!inside || inside.depth-- > 0) return;
    const into = inside.kind === 'exception' ? exceptions : warnings;
    if (into.length < MESSAGES_MAX) into.push(messageText(inside.text, inside.kind));
    inside = undefined;
  });
  parser.on('error', (error) => {
    fault ??= error.message;
  });
  parser.write(output.replace(/^\ufeff?\s*<\?xml[^>]*\?>/, '')).close();
  return fault === undefined
    ? verdict
    : {
        exceptions: [],
        warnings: [],
        output,
        failure: `its output cannot be read: ${fault.slice(0, FAULT_CHARACTERS_MAX)}`,
      };
}

function messageText(text: string, kind: Kind): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  if (plain === '')
    return kind === 'exception'
      ? 'The rule refuses it and does not say why.'
      : 'The rule warns and does not say of what.';
  return maskedStart(plain, MESSAGE_CHARACTERS_MAX);
}
