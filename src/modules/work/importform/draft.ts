import { f, required } from '../../../kernel/declare/field.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import type { Context } from '../../../kernel/door/context.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import type { Task } from './importform.record.ts';
import { collectRows } from './lib/answer-rows.ts';
import { formOf } from './lib/form.ts';
import { describeForm, example } from './lib/describe-form.ts';
import { addToDraft, deleteDraft, readDraft, withDraft } from './lib/drafts.ts';

export const operation = defineOperation({
  module: 'importform',
  name: 'Draft',
  method: 'POST',
  summary:
    "Stores answers that are not complete yet in the task's draft, valid or not, and returns the form with them like " +
    'importform/describe. The task itself is unchanged. Its completion deletes the draft.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'ImportFormUpdate',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The task.' })),
    Discard: f.boolean({ doc: 'Whether to delete the draft instead.', default: false }),
  },
  free: 'any',
  returns: 'tree',
  answerName: 'Form',
  example,
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'BAD_PARAMETER', 'TOO_LARGE', 'BAD_XPATH'],
  source: '2-workflow §2, Tasks',
});

export const run = handle(operation, async (ctx, { ID, Discard }, rest) => {
  const stored = namedRow(ctx, ctx.record);
  if (Discard) await deleteDraft(ctx, ID);
  else if (stored.ActualCompletion !== null || stored.CanceledDate !== null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `Task ${ID} is ${stored.ActualCompletion === null ? 'canceled' : 'complete'}; it has no draft.`,
    });
  else await addToDraft(ctx, ID, await knownAnswers(ctx, stored, rest));
  const draft = Discard ? undefined : await readDraft(ctx, ID);
  const selector = { stored, template: null, templateId: null, object: null, objectId: null };
  return { kind: 'tree', root: withDraft(await describeForm(ctx, selector, draft?.answers), draft) };
});

/** Returns the answers by the names of their questions. @throws BAD_PARAMETER for a name that is no question's */
async function knownAnswers(ctx: Context, task: Task, sent: Parameters): Promise<Parameters> {
  const form = await formOf(ctx, task.ImportFormTemplateID);
  const names = new Map(form?.questions.map(({ name }) => [name.toLowerCase(), name]));
  const answers = form ? collectRows(form, Object.entries(sent)) : Object.entries(sent);
  return Object.fromEntries(
    [...answers].map(([sentName, value]) => {
      const name = names.get(sentName.toLowerCase());
      if (name === undefined) throw bad(sentName, 'the name of a question of the task');
      return [name, value];
    }),
  );
}
