import { recordItem } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { existingRecordId } from '../../../kernel/records/save/parent-scope.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { saveFromParameters } from '../../../kernel/records/save/save.ts';
import { withTemplate, withWorkflow, splitParameters, type HoldParameters } from './lib/hold-parameters.ts';
import { assertTaskAccepts, withTask } from './lib/hold-task.ts';

export const operation = defineOperation({
  module: 'decisiondelay',
  name: 'Save',
  method: 'POST',
  summary:
    'Puts a workflow, or the workflows of a case, on hold: DecisionID, or Object and ObjectID, with ' +
    'DecisionDelay (the name of its type) or DecisionDelayTemplateID, and ReasonDetail. With ID and ' +
    'ActualCompletion it ends a hold. Parameters that a hold does not have go to its task.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {},
  free: 'fields',
  async queuedFields(ctx, rest) {
    const isStored = (await existingRecordId(ctx, ctx.record, rest)) !== undefined;
    return isStored ? rest : (await newHold(ctx, rest)).hold;
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'VERSION_CONFLICT', 'DUPLICATE_KEY', 'BAD_PARAMETER', 'UNKNOWN_PARAMETER', 'STATE_REFUSES'],
  source: '2-workflow §4',
});

export const run = handle(operation, async (ctx, _params, rest) => {
  if ((await existingRecordId(ctx, ctx.record, rest)) !== undefined)
    return recordItem(ctx.record, (await saveFromParameters(ctx, rest, 'save')).row);
  // Checked before any write: unknown parameters are rejected as usual.
  const { hold, task } = await newHold(ctx, rest);
  const saved = await withTask(ctx, task, () => saveFromParameters(ctx, hold, 'save'));
  const [name] = Object.keys(task);
  if (name !== undefined && saved.change !== 'insert')
    throw new PlatformError('STATE_REFUSES', {
      field: name,
      message: `${name}: hold ${saved.id} already exists, so no task is created that could take it.`,
    });
  return recordItem(ctx.record, saved.row);
});

/** Returns the parameters of a new hold and of its task. Throws UNKNOWN_PARAMETER for one that neither takes. */
async function newHold(ctx: Context, sent: Parameters): Promise<HoldParameters> {
  const { hold: own, task } = splitParameters(ctx, sent);
  const hold = await withTemplate(ctx, await withWorkflow(ctx, own));
  await assertTaskAccepts(ctx, hold, task);
  return { hold, task };
}
