import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { smartWorklistMember, WorkItem } from '../smartworklistmember.record.ts';
import { changeItem, templateIdOf, writeAssignee } from './change-item.ts';
import { isOpen } from './item-state.ts';
import { isInTeam } from './teams.ts';

/**
 * Starts a locked item and assigns it to the caller. One that the caller has started already stays unchanged. A
 * skipped one starts early. @throws STATE_REFUSES if it is not open, assigned to another user or of another team
 */
export async function startOwnItem(
  ctx: Context<typeof smartWorklistMember>,
  before: WorkItem,
): Promise<{ readonly row: WorkItem; readonly before: WorkItem }> {
  const { record, user } = ctx;
  const refuse = (why: string): never => {
    const message = `Item ${before.SmartWorklistMemberID}: ${why}`;
    throw new PlatformError('STATE_REFUSES', { field: 'ID', message });
  };
  if (!isOpen(before)) refuse(`it is ${String(before.Status)}; only an open one can be started.`);
  if (before.PersonID !== null && before.PersonID !== user.personId) refuse('it is assigned to another user.');
  if (!(await isInTeam(ctx, ctx.db, before.TeamID, user.personId))) refuse('you are not in its team.');
  if (before.PersonID === user.personId && before.Status === 'Started') return { row: before, before };
  const row = await changeItem(ctx, record, before, {
    PersonID: user.personId,
    StartDate: before.StartDate ?? ctx.clock.now(),
    SkipDate: null,
  });
  await writeAssignee(ctx, row, await templateIdOf(ctx, row));
  return { row, before };
}
