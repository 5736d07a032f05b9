import type { Context } from '../../../kernel/door/context.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck, defineReaction, type Check, type CheckedSave } from '../../../kernel/declare/reaction.ts';
import { checkFormAtCommit } from './lib/check-form.ts';
import { hasForm, enforceForm } from './lib/enforce-form.ts';
import { importForm } from './importform.record.ts';
import { importFormTemplate } from '../importformtemplate/importformtemplate.record.ts';
import type { ValueName, Values } from '../../../kernel/declare/values.ts';
import { importFormQuestion } from '../records/importformquestion.record.ts';
import { importFormStatus } from '../records/importformstatus.record.ts';
import { importFormTransition } from '../records/importformtransition.record.ts';

/** The record types that make up a form. */
const parts = [importFormQuestion, importFormStatus, importFormTransition] as const;

type FormPart = (typeof parts)[number];

/** Rejects moving a part to another form: tasks have been answered with it. */
async function assertFormUnchanged(
  ctx: Context,
  { record: { table }, values, id }: CheckedSave<FormPart>,
): Promise<void> {
  if (id === undefined || values.ImportFormTemplateID === undefined) return;
  const [row] = await ctx.db.query<{ at: number }>(
    `select importformtemplateid as at from ${table} where ${table}id = $1::bigint`,
    [id],
  );
  if (row && row.at !== values.ImportFormTemplateID)
    throw bad('ImportFormTemplateID', 'its current task type; it cannot be moved to another');
}

/** Returns the check of a part: it stays in its form, and its names are trimmed. */
function checkOfPart<R extends FormPart>(on: R, names: readonly ValueName<R>[]): Check {
  return defineCheck<FormPart>({
    on,
    doc: 'A part of a form cannot be moved to another form. Names are trimmed.',
    async run(ctx, save) {
      await assertFormUnchanged(ctx, save);
      const values: Values = save.values;
      for (const name of names) {
        const text = values[name];
        if (typeof text === 'string') values[name] = text.trim() || null;
      }
    },
  });
}

export const checks = [
  defineCheck({
    on: importForm,
    doc:
      "Enforces a task's form: answers match the questions, the status follows the moves, and a " +
      'complete task has all required answers.',
    applies: (ctx, { values, id }) => hasForm(ctx, values, id),
    run: enforceForm,
  }),
  defineCheck({
    on: importFormTemplate,
    doc: 'The team of a form is a collection of users.',
    async run(ctx, { values }) {
      const team = values.AssignedCollectionID;
      if (typeof team !== 'number') return;
      const [row] = await ctx.db.query<{ sourceobject: string }>(
        'select sourceobject from collection where collectionid = $1::bigint',
        [team],
      );
      if (row?.sourceobject !== 'Person') throw bad('AssignedCollectionID', 'the ID of a collection of users');
    },
  }),
  checkOfPart(importFormQuestion, ['ImportFormQuestion', 'RowsOf']),
  checkOfPart(importFormStatus, ['ImportFormStatus']),
  checkOfPart(importFormTransition, ['ImportFormTransition', 'FromStatus', 'ToStatus']),
  defineCheck({
    on: importFormTransition,
    doc: 'A new transition without a name is named after its statuses.',
    run(_ctx, { values, id }) {
      if (id === undefined && (values.ImportFormTransition ?? null) === null)
        values.ImportFormTransition = `${values.FromStatus ?? ''} → ${values.ToStatus ?? ''}`.trim();
    },
  }),
];

export const reactions = [
  ...parts.map((on) =>
    defineReaction({
      on,
      after: ['insert', 'update', 'delete'],
      doc: 'Checks a changed form as a whole when the call ends: names, choices, bounds, expressions, and moves.',
      async run(ctx, row) {
        checkFormAtCommit(ctx, row.ImportFormTemplateID);
      },
    }),
  ),
  defineReaction({
    on: importFormTemplate,
    after: ['update'],
    doc: 'Checks a form again if it applies to other records, since its questions may be fields of them.',
    async run(ctx, row) {
      checkFormAtCommit(ctx, row.ImportFormTemplateID);
    },
  }),
];
