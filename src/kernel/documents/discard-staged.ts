import type { Context } from '../door/context.ts';
import type { StagedDocument } from '../ports/documents.ts';

/**
 * Removes staged files. Those that were attached have been hard-linked, so the staging copies can go. One that cannot
 * be removed is logged, and swept later: what was done with it stays done.
 */
export async function discardStaged(
  ctx: Pick<Context, 'documents' | 'log' | 'correlationId'>,
  staged: readonly Pick<StagedDocument, 'token'>[],
): Promise<void> {
  for (const { token } of staged)
    await ctx.documents.discard(token).catch(() => {
      ctx.log.warn('a staged file was not removed', { correlationId: ctx.correlationId });
    });
}
