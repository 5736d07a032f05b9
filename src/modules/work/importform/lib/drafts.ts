import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import type { FormNode } from './form-nodes.ts';

/*
 * The draft of a task holds answers that people entered and have not saved, valid or not. A task has one draft: whoever
 * continues it sees what was entered before. It is no record: saving the answers stores them in the task, with history.
 */

/** Most characters of a draft. */
const DRAFT_CHARACTERS_MAX = 1_000_000;

/** A task's draft. */
export interface Draft {
  readonly answers: Readonly<Record<string, string>>;
  readonly personId: number;
  readonly date: string;
}

/** Returns a task's draft, if the caller can see the task. */
export async function readDraft(ctx: Context, taskId: number): Promise<Draft | undefined> {
  const [row] = await ctx.db.query<Draft>(
    'select answers, personid as "personId", updateddate as date from casewright_task_draft($1::bigint)',
    [taskId],
  );
  return row;
}

/** Adds answers to a task's draft; of an answer that it has already, the new one counts. The task must be locked. */
export async function addToDraft(ctx: Context, taskId: number, answers: Parameters): Promise<void> {
  const entries = Object.entries(answers).map(([name, raw]) => [name, draftText(raw)] as const);
  const text = JSON.stringify(Object.fromEntries(entries));
  if (text.length > DRAFT_CHARACTERS_MAX)
    throw new PlatformError('TOO_LARGE', {
      message: `The answers are longer than ${DRAFT_CHARACTERS_MAX} characters.`,
    });
  await ctx.transaction().elevated((db) =>
    db.query(
      `insert into importformdraft as d (importformid, personid, answers, updateddate)
       values ($1::bigint, $2::bigint, $3::jsonb, $4::timestamptz)
       on conflict (importformid) do update
       set personid = excluded.personid, answers = d.answers || excluded.answers, updateddate = excluded.updateddate`,
      [taskId, ctx.user.personId, text, ctx.clock.now()],
    ),
  );
}

function draftText(raw: RawValue): string {
  const values = Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw];
  return values.map((value) => (value === null || typeof value === 'object' ? '' : String(value))).join('|');
}

/** Deletes a task's draft. */
export async function deleteDraft(ctx: Context, taskId: number): Promise<void> {
  await ctx
    .transaction()
    .elevated((db) => db.query('delete from importformdraft where importformid = $1::bigint', [taskId]));
}

/** Returns a described form with when its draft was changed last, and by whom. */
export function withDraft(form: FormNode, draft: Draft | undefined): FormNode {
  if (!draft) return form;
  return { ...form, attributes: { ...form.attributes, DraftDate: draft.date, DraftPersonID: draft.personId } };
}
