import type { Context } from '../../../../kernel/door/context.ts';
import type { Filing, MailToFile } from './filing.ts';
import { filingByHeaders, filingByToken } from './reply-evidence.ts';

/**
 * Returns where the mail's own evidence of what it answers files it: the signed reply address first, then In-Reply-To
 * and References. What is uncertain is a proposal.
 */
export async function filingByReply(ctx: Context, file: MailToFile): Promise<Filing | undefined> {
  return (await filingByToken(ctx, file)) ?? (await filingByHeaders(ctx, file));
}

/** Whether a filing says on which record a message is stored. */
export function filesOnRecord(filing: Filing | undefined): boolean {
  return filing?.isCertain === true && filing.evidence.record !== undefined;
}
