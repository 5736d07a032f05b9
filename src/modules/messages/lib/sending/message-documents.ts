import type { Context } from '../../../../kernel/door/context.ts';

/** The type of the links from a message to the documents that it was sent with. */
const LINK_TYPE = 'Attachment';

/** Links documents to a message, of whatever record they are. */
export async function linkDocuments(ctx: Context, messageId: number, ids: readonly number[]): Promise<void> {
  for (const id of ids)
    await ctx.call('objectlink/save', {
      PrimaryObject: 'Message',
      PrimaryObjectID: messageId,
      LinkedObject: 'Attachment',
      LinkedObjectID: id,
      ObjectLinkType: LINK_TYPE,
    });
}
