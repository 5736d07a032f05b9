import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';

/** A change that a user makes to a workflow, with the reason. */
export interface ChangeLogEntry {
  readonly decisionId: number;
  readonly object: string | null;
  readonly objectId: number | null;
  readonly subject: string;
  readonly bodyText: string;
}

/** Requires a reason for a change. @throws MISSING_PARAMETER if it is blank */
export function requireReason(bodyText: string): void {
  if (bodyText.trim() === '')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'BodyText',
      message: 'BodyText is required: the reason.',
    });
}

/** Saves the change as a message on the workflow and on its record, in the caller's name. */
export async function logChange(
  ctx: Context,
  { decisionId, object, objectId, subject, bodyText }: ChangeLogEntry,
): Promise<void> {
  const message = { Message: subject, BodyText: bodyText };
  await ctx.call('message/save', { Object: 'Decision', ObjectID: decisionId, ...message });
  if (object !== null && objectId !== null)
    await ctx.call('message/save', { Object: object, ObjectID: objectId, ...message });
}
