import type { Context } from '../../../kernel/door/context.ts';
import { fromOf, idOf } from '../../../kernel/database/sql.ts';
import type { Column, RecordType } from '../../../kernel/declare/record.ts';
import {
  defineSaveFeature,
  requireState,
  stateOf,
  type SaveDraft,
  type SaveParameter,
  type SaveParse,
} from '../../../kernel/declare/save-feature.ts';
import { bad, parseValue, type RawValue } from '../../../kernel/parameters/parse-value.ts';
import { valueText } from '../../../kernel/parameters/value-text.ts';
import type { SavePlan } from '../../../kernel/records/save/plan.ts';
import { notFound } from '../../../kernel/records/search/read.ts';
import type { Values } from '../../../kernel/declare/values.ts';
import type { importForm } from './importform.record.ts';
import { collectRows, isCellParameter } from './lib/answer-rows.ts';
import { formOf } from './lib/form.ts';
import { answerNotes, submittedAnswers } from './lib/submitted-answers.ts';
import { isAnswerName, mergeAnswerDocuments, mergeAnswers } from '../../../lib/answers/answer-document.ts';

export const saveFeature = defineSaveFeature({
  doc: 'A record that stores answers accepts any other name as an answer.',
  appliesTo: ({ answers }) => answers !== undefined,
  parseRest: parseAnswer,
  before: storeSubmittedAnswers,
});

const mergeField = { kind: 'boolean', classification: 'public', doc: '' } as const;
const answerField = { kind: 'text', classification: 'personal', doc: '' } as const;

/** Parses an answer: any name that is no column. Several values are joined by `|`. */
function parseAnswer({ plan }: SaveDraft, { name, raw, field }: SaveParameter, { options }: SaveParse): boolean {
  if (name.toLowerCase() === `merge${String(plan.record.answers).toLowerCase()}`) {
    const isMerged = parseValue(mergeField, raw, field, options);
    if (typeof isMerged === 'boolean') requireState(plan, answerNotes).isMerged = isMerged;
    return true;
  }
  if (!isAnswerName(name)) return false;
  const text = answerText(raw, field);
  requireState(plan, answerNotes).byName.set(name, valueText(parseValue(answerField, text, field, options) ?? ''));
  return true;
}

function answerText(raw: RawValue, field: string): string {
  const values = Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw];
  if (values.some((value) => typeof value === 'object' && value !== null))
    throw bad(field, 'the text of an answer, or a list of texts');
  const text = values.map((value) => valueText(value ?? '')).join('|');
  // XML cannot carry control characters: the answer would come back changed.
  if (/[\x01-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text)) throw bad(field, 'text without control characters');
  return text;
}

/** Puts the answers of a save into the plan's value for the column that stores them. */
async function storeSubmittedAnswers(ctx: Context, plan: SavePlan, id: number | undefined): Promise<void> {
  const { record } = plan;
  const column = record.columns.get(String(record.answers).toLowerCase());
  if (!column) return;
  await collectSubmittedRows(ctx, plan, id);
  const answers = submittedAnswers(plan);
  const key = column.valueName;
  const sent = plan.values[key];
  const merges =
    id !== undefined && mergesDocuments(plan) && (typeof sent === 'string' || plan.values[key] === undefined);
  if (answers.size === 0 && !(merges && typeof sent === 'string')) return;
  let xml = typeof sent === 'string' ? sent : null;
  if (merges) {
    const stored = await lockAnswers(ctx, record, column, id);
    xml = xml !== null && stored !== null ? mergeAnswerDocuments(record, stored, xml) : (xml ?? stored);
  }
  plan.values[key] = answers.size === 0 ? xml : mergeAnswers(record, xml, answers);
}

function mergesDocuments(plan: SavePlan): boolean {
  return stateOf(plan, answerNotes)?.isMerged !== false && plan.isRestore !== true;
}

/** Collects the cells of rows (`Bids_0_Amount`) into the answers that they are parts of, as the task's form says. */
async function collectSubmittedRows(ctx: Context, plan: SavePlan, id: number | undefined): Promise<void> {
  const answers = submittedAnswers(plan);
  if (![...answers.keys()].some(isCellParameter)) return;
  const form = await formOf(ctx, await templateAfter(ctx, plan, id));
  if (form) requireState(plan, answerNotes).byName = collectRows(form, answers);
}

/** Returns the ID of the task type that the saved task has. */
async function templateAfter(ctx: Context, { values }: SavePlan, id: number | undefined): Promise<number | null> {
  const { ImportFormTemplateID: sent }: Values<typeof importForm> = values;
  if (sent !== undefined || id === undefined) return sent ?? null;
  const [row] = await ctx.db.query<{ at: number | null }>(
    'select importformtemplateid as at from importform where importformid = $1::bigint',
    [id],
  );
  return row?.at ?? null;
}

/** Returns the stored answers. Locks the record, so that of two concurrent saves neither loses answers. */
async function lockAnswers(ctx: Context, record: RecordType, column: Column, id: number): Promise<string | null> {
  const [row] = await ctx.db.query<{ xml: string | null }>(
    `select ${column.table}.${column.column} as xml from ${fromOf(record)}
     where ${idOf(record)} = $1::bigint for update of ${record.root.table}`,
    [id],
  );
  if (!row) throw notFound(record, id);
  return row.xml;
}
