import { item, type ItemAnswer, type NothingAnswer } from '../../../kernel/door/answer.ts';
import { namedRowIfSent } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { claimItem, recordVersion } from './lib/claims.ts';
import { startOwnItem } from './lib/start-item.ts';
import { takeNextItem } from './lib/take-item.ts';

const fields = {
  SmartWorklistMemberID: required(f.id({ doc: 'The item.' })),
  SourceObject: required(f.text({ doc: 'The type of its record.', max: 60 })),
  SourceObjectID: required(f.id({ doc: 'Its record.' })),
  RecordVersion: f.integer({ doc: "Its record's version after the claim; omitted if the record is not visible." }),
  Expires: required(f.timestamp({ doc: 'When it is released, unless it is claimed again before.' })),
};

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Claim',
  method: 'POST',
  summary:
    "Starts a work item, or the caller's next one, and claims it for the minutes of the setting " +
    'SmartWorklistClaimMinutes. Each further call extends the claim. When it expires, ' +
    'smartworklistmember/releaseexpired releases the item. Returns 204 if there is no next item.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'SmartWorklistMemberNext',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: f.id({ doc: "The item. Defaults to the caller's next one." }),
    SmartWorklist: f.text({ doc: 'Without ID: only work items of open queues with this name.', max: 255 }),
  },
  returns: fields,
  answerName: 'ClaimedItem',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'BAD_PARAMETER', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { SmartWorklist }): Promise<ItemAnswer<object> | NothingAnswer> => {
  const named = namedRowIfSent(ctx, ctx.record);
  const taken = named ? await startOwnItem(ctx, named) : await takeNextItem(ctx, SmartWorklist ?? undefined);
  if (!taken) return { kind: 'nothing' };
  const { row, before } = taken;
  const expires = await claimItem(ctx, row, before.PersonID !== ctx.user.personId);
  return item('ClaimedItem', fields, {
    SmartWorklistMemberID: row.SmartWorklistMemberID,
    SourceObject: row.SourceObject,
    SourceObjectID: row.SourceObjectID,
    RecordVersion: await recordVersion(ctx, row),
    Expires: expires,
  });
});
