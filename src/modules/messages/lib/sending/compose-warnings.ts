import type { Alert } from '../../../../kernel/door/errors.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { maskNumbers } from '../../../../kernel/security/mask.ts';
import { missingWarning } from '../recipients/gather-recipients.ts';
import type { ComposedMessage } from './compose-message.ts';

/** Most unused parameters that a warning names. */
const NAMED_MAX = 20;

/** Returns what the author of a message should know about it. */
export function composeWarnings({ draft, template, data }: ComposedMessage): readonly Alert[] {
  const bySource = [...Map.groupBy(draft.missing, ({ source }) => source)];
  const warnings: Alert[] = bySource.map(([source, missing]) => missingWarning(source, missing));
  if (template?.isMixed === true)
    warnings.push({
      code: 'LANGUAGES',
      text:
        `The recipients speak different languages; the version of "${template.base.MessageTemplate ?? ''}" without a ` +
        'language is used for all of them.',
    });
  // A caller may have put a protected number where a name belongs.
  const unused = data.unused.map((name) => maskNumbers(name).slice(0, 100));
  if (unused.length > 0)
    warnings.push({
      code: 'PARAMETER_UNUSED',
      text: `Not used: ${unused.slice(0, NAMED_MAX).join(', ')}; no merge field of the template has such a name.`,
    });
  return warnings;
}

/** Adds the warnings about a message, also that it was sent to nobody. */
export function warnComposed(ctx: Pick<Context, 'alert'>, composed: ComposedMessage, sent: number): void {
  for (const warning of composeWarnings(composed)) ctx.alert(warning);
  if (sent === 0 && composed.draft.kind !== 'Note') warnNotSent(ctx);
}

/** Warns that a message is sent to nobody. */
function warnNotSent(ctx: Pick<Context, 'alert'>): void {
  ctx.alert({ code: 'NOT_SENT', text: 'The message has no recipients; it was saved and not sent.' });
}
