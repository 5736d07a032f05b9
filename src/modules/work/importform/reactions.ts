import type { Context } from '../../../kernel/door/context.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks, defineReactions, type Check, type Reaction } from '../../../kernel/declare/reaction.ts';
import { columnText } from '../lib/column-text.ts';
import { checkFormAtCommit } from './lib/check-form.ts';
import { hasForm, enforceForm } from './lib/enforce-form.ts';

/** The record types that make up a form. */
const parts = ['ImportFormQuestion', 'ImportFormStatus', 'ImportFormTransition'] as const;

/** Rejects moving a part to another form: tasks have been answered with it. */
async function assertFormUnchanged(
  ctx: Context,
  table: string,
  values: ReadonlyMap<string, unknown>,
  id: number | undefined,
): Promise<void> {
  if (id === undefined || !values.has('importformtemplateid')) return;
  const [row] = await ctx.db.query<{ at: number }>(
    `select importformtemplateid as at from ${table} where ${table}id = $1::bigint`,
    [id],
  );
  if (row && row.at !== values.get('importformtemplateid'))
    throw bad('ImportFormTemplateID', 'its present form; it cannot be moved to another');
}

export const checks = defineChecks([
  {
    on: 'ImportForm',
    doc:
      "Enforces a task's form: answers match the questions, the status follows the moves, and a " +
      'complete task has all required answers.',
    applies: (ctx, values, id) => hasForm(ctx, values, id),
    // eslint-disable-next-line max-params -- the kernel's Check declares five parameters
    run: (ctx, record, values, id, plan) => enforceForm(ctx, { record, values, id, plan }),
  },
  {
    on: 'ImportFormTemplate',
    doc: 'The team of a form is a collection of users.',
    async run(ctx, _record, values) {
      const team = values.get('assignedcollectionid');
      if (typeof team !== 'number') return;
      const [row] = await ctx.db.query<{ sourceobject: string }>(
        'select sourceobject from collection where collectionid = $1::bigint',
        [team],
      );
      if (row?.sourceobject !== 'Person') throw bad('AssignedCollectionID', 'the ID of a collection of users');
    },
  },
  ...parts.map((on): Check => ({
    on,
    doc: 'A part of a form cannot be moved to another form. Names are trimmed.',
    async run(ctx, record, values, id) {
      await assertFormUnchanged(ctx, record.table, values, id);
      for (const name of [record.table, 'fromstatus', 'tostatus'])
        if (typeof values.get(name) === 'string') values.set(name, String(values.get(name)).trim() || null);
      if (on === 'ImportFormTransition' && id === undefined && (values.get(record.table) ?? null) === null)
        values.set(
          record.table,
          `${columnText(values.get('fromstatus')).trim()} → ${columnText(values.get('tostatus'))}`.trim(),
        );
    },
  })),
]);

export const reactions = defineReactions([
  ...parts.map((on): Reaction => ({
    on,
    after: ['insert', 'update', 'delete'],
    doc: 'Checks a changed form as a whole when the call ends: names, choices, bounds, expressions, and moves.',
    async run(ctx, row) {
      checkFormAtCommit(ctx, Number(row['ImportFormTemplateID']));
    },
  })),
  {
    on: 'ImportFormTemplate',
    after: ['update'],
    doc: 'Checks a form again if it applies to other records, since its questions may be fields of them.',
    async run(ctx, row) {
      checkFormAtCommit(ctx, Number(row['ImportFormTemplateID']));
    },
  },
]);
