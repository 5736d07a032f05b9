import type { Context } from '../../../kernel/door/context.ts';
import type { StagedDocument } from '../../../kernel/ports/documents.ts';

/** Removes staged files. Those that were attached have been hard-linked, so the staging copies can go. */
export async function discardStaged(
  ctx: Pick<Context, 'documents' | 'log' | 'correlationId'>,
  staged: readonly StagedDocument[],
): Promise<void> {
  for (const file of staged)
    await ctx.documents.discard(file.token).catch(() => {
      ctx.log.warn('a staged file was not removed', { correlationId: ctx.correlationId });
    });
}
