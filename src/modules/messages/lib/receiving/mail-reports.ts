import type { Context } from '../../../../kernel/door/context.ts';
import { applyReport } from '../outcome/apply-report.ts';
import { readToken, type MailToken } from '../tokens/mail-tokens.ts';
import type { MailContent } from './taken-mail.ts';

/** Returns the token of the return path to which a mail was sent, if it was. */
function returnPathToken(ctx: Context, { mail }: MailContent): MailToken | undefined {
  const addresses = [...mail.to.map(({ address }) => address), ...mail.deliveredTo];
  return addresses.map((address) => readToken(ctx, address)).find((read) => read?.kind === 'bounce');
}

/** Whether a mail is a report: {@link storeReport} applies it. */
export function isReport(ctx: Context, content: MailContent): boolean {
  return content.mail.report !== null || returnPathToken(ctx, content) !== undefined;
}

/**
 * Applies a report of what became of a mail that we sent, or a complaint about one, and returns what it says. Undefined
 * for a mail that is no report. Whatever arrives at the return path of a delivery is one, also an automatic answer.
 */
export async function storeReport(own: Context, content: MailContent): Promise<string | undefined> {
  if (!isReport(own, content)) return undefined;
  const { report, text } = content.mail;
  return (await applyReport(own, report, returnPathToken(own, content) ?? null, text ?? '')).what;
}
