import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';

/** What somebody does to a workflow, and the words that go with it. */
export interface ChangeLogEntry {
  readonly decisionId: number;
  readonly object: string | null;
  readonly objectId: number | null;
  readonly subject: string;
  readonly bodyText: string;
}

/** The words that must go with what is done. @throws MISSING_PARAMETER where there are only spaces */
export function requireReason(bodyText: string): void {
  if (bodyText.trim() === '')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'BodyText',
      message: 'BodyText is required: why this is done, in words.',
    });
}

/** Keeps what is done as a message on the workflow and on its record, in the caller's name. */
export async function logChange(
  ctx: Context,
  { decisionId, object, objectId, subject, bodyText }: ChangeLogEntry,
): Promise<void> {
  const message = { Message: subject, BodyText: bodyText };
  await ctx.call('message/save', { Object: 'Decision', ObjectID: decisionId, ...message });
  if (object !== null && objectId !== null)
    await ctx.call('message/save', { Object: object, ObjectID: objectId, ...message });
}
