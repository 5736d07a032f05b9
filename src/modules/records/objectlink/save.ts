import { recordItem } from '../../../kernel/door/answer.ts';
import { fold } from '../../../kernel/parameters/fold.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { lockName } from '../../../kernel/database/advisory-lock.ts';
import { removeValue } from '../../../kernel/declare/values.ts';
import { planOptions, planSave } from '../../../kernel/records/save/plan.ts';
import { assertSaveAllowed } from '../../../kernel/records/save/save-authorization.ts';
import { findByExternalId } from '../../../kernel/records/save/external-id.ts';
import { saveRecord } from '../../../kernel/records/save/save-record.ts';
import { findLink, resolveSides } from './lib/link-sides.ts';

export const operation = defineOperation({
  module: 'objectlink',
  name: 'Save',
  method: 'POST',
  summary:
    'Links two records, each named by its type and its ID or SubscriberID. An existing link is returned, not ' +
    'created twice; with an ID or a known SubscriberID that link is changed.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {},
  free: 'fields',
  returns: 'item',
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'VERSION_CONFLICT', 'DUPLICATE_KEY'],
  source: '1-core §4',
});

/** The columns that identify a link: an existing one has them already. */
const identity = ['PrimaryObject', 'PrimaryObjectID', 'LinkedObject', 'LinkedObjectID', 'ObjectLinkType'] as const;

export const run = handle(operation, async (ctx, _params, rest) => {
  const plan = planSave(ctx.registry, ctx.record, rest, planOptions(ctx));
  await assertSaveAllowed(ctx, plan);
  const isKnown =
    plan.id !== undefined ||
    (plan.subscriberId !== undefined && (await findByExternalId(ctx, ctx.record, plan.subscriberId)) !== undefined);
  if (!isKnown) {
    const [primary, linked] = await resolveSides(ctx, plan);
    const set = plan.values.ObjectLinkType;
    const find = (): Promise<number | undefined> => findLink(ctx, primary, linked, set);
    let id = await find();
    if (id === undefined) {
      // Of two concurrent calls that create the same link, the second waits for the first and then finds its link.
      await lockName(
        ctx,
        `link ${primary.name} ${primary.id} ${linked.name} ${linked.id} ${typeof set === 'string' ? fold(set) : ''}`,
      );
      id = await find();
    }
    if (id !== undefined) {
      plan.id = id;
      for (const name of identity) removeValue(plan.values, name);
    }
  }
  return recordItem(ctx.record, (await saveRecord(ctx, plan, 'save')).row);
});
