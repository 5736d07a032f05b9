import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { requireMessages } from './lib/messages.ts';
import { shownParameters } from './lib/shown-parameters.ts';

const parameterFields = {
  Name: required(f.text({ doc: 'The parameter.' })),
  Value: f.text({ doc: 'Its value, of a list or an object as JSON; its first 500 characters.' }),
  Hidden: f.text({ doc: 'Why the value is not shown.' }),
};

export const operation = defineOperation({
  module: 'queue',
  name: 'Parameters',
  method: 'GET',
  summary:
    'Returns the parameters of a queued call. Secrets are hidden, and what may be a Social Security number is masked.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'QueueSearch',
  params: { ID: required(f.text({ doc: "The message's ID, as queueing the call returned it.", max: 36 })) },
  returns: 'list',
  answerName: 'QueueParameter',
  rows: parameterFields,
  errors: ['NOT_FOUND'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const [message] = await requireMessages(ctx, [ID]);
  if (!message) throw new Error('found message is missing');
  return list('QueueParameter', parameterFields, shownParameters(ctx, message));
});
