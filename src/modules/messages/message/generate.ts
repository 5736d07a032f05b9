import { recordItem } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { composeMessage } from '../lib/sending/compose-message.ts';
import { decideMessage } from '../lib/sending/decide-message.ts';
import { warnComposed } from '../lib/sending/compose-warnings.ts';
import { assertMergeValues, assertValuesUsed } from './lib/merge-values.ts';
import { compositionNames, compositionParameters } from './lib/message-parameters.ts';

export const operation = defineOperation({
  module: 'message',
  name: 'Generate',
  method: 'GET',
  summary:
    "Writes a message from a template, with the data of a record filled in, saves it, and sends it to the call's and " +
    "the template's recipients. Undeclared parameters are values for the template's merge fields.",
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: compositionNames,
  params: compositionParameters,
  free: 'any',
  checkQueued: (_ctx, _params, values) => assertMergeValues(values),
  returns: 'item',
  errors: [
    'NOT_FOUND',
    'MISSING_PARAMETER',
    'BAD_PARAMETER',
    'BAD_SIGNATURE',
    'BAD_TEMPLATE',
    'NO_PERMISSION',
    'STATE_REFUSES',
    'TOO_LARGE',
    'UNKNOWN_PARAMETER',
    'UNKNOWN_PROVIDER',
  ],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params, values) => {
  assertMergeValues(values);
  const composed = await composeMessage(ctx, params, { values });
  assertValuesUsed(composed);
  const { row, sent } = await decideMessage(ctx, composed.draft);
  warnComposed(ctx, composed, sent);
  return recordItem(ctx.record, row);
});
