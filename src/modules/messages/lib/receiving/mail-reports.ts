import type { Context } from '../../../../kernel/door/context.ts';
import { applyReport } from '../outcome/apply-report.ts';
import { readToken } from '../tokens/mail-tokens.ts';
import type { MailContent } from './taken-mail.ts';

/**
 * Applies a report of what became of a mail that we sent, or a complaint about one, and returns what it says. Undefined
 * for a mail that is no report. Whatever arrives at the return path of a delivery is one, also an automatic answer.
 */
export async function storeReport(own: Context, { mail }: MailContent): Promise<string | undefined> {
  const addresses = [...mail.to.map(({ address }) => address), ...mail.deliveredTo];
  const token = addresses.map((address) => readToken(own, address)).find((read) => read?.kind === 'bounce');
  if (mail.report === null && token === undefined) return undefined;
  return (await applyReport(own, mail.report, token ?? null, mail.text ?? '')).what;
}
