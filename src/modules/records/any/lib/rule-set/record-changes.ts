import type { Context } from '../../../../../kernel/door/context.ts';
import { timeZone } from '../../../../../kernel/declare/core-settings.ts';
import { didYouMean, PlatformError } from '../../../../../kernel/door/errors.ts';
import { parseValue, type RawValue } from '../../../../../kernel/parameters/parse-value.ts';
import type { Column, RecordType } from '../../../../../kernel/declare/record.ts';
import { mergeAnswers, isAnswerName } from '../../../../../lib/answers/answer-document.ts';
import { differs } from '../../../../../kernel/records/save/version-conflict.ts';
import { isA } from '../../../../../kernel/declare/registry.ts';
import { attempt, labeled, outputError, type OutputFault } from './fill-outputs.ts';
import type { Subject } from '../../../../rules/public/matrix-decision.ts';
import type { RuleOutput } from './best-row.ts';

/** The changes of a rule set to one record: the parameters of its save, and the outputs that cannot be used. */
export interface RecordChanges {
  readonly parameters: Readonly<Record<string, RawValue>>;
  readonly faults: readonly OutputFault[];
}

/** How outputs are applied: `force` also writes equal values. `ruleSet` names it, with its row, in errors. */
export interface ChangeOptions {
  readonly ruleSet: string;
  readonly force: boolean;
}

/** Returns the columns that a rule set sets and, for forms, the answers. Faults name rule set and output. */
export function recordChanges(
  ctx: Context,
  subject: Subject,
  outputs: readonly RuleOutput[],
  taking: ChangeOptions,
): RecordChanges {
  const { record } = subject;
  const parameters: Record<string, RawValue> = {};
  const answers = new Map<string, string>();
  const faults: OutputFault[] = [];
  for (const output of outputs)
    attempt(faults, output.name, () => {
      const label = `${taking.ruleSet}, output ${output.name}`;
      const place = outputTarget(ctx, record, output);
      if ('column' in place) {
        const value = valueFor(ctx, place.column, place.text, label);
        if (taking.force || isChanged(place.column, subject, value)) parameters[place.column.name] = value;
      } else if (place.refused === undefined && record.answers !== undefined && isAnswerName(output.name))
        answers.set(output.name, output.text);
      // An output that names a child matrix need not be a field.
      else if (place.refused !== undefined || !/matrix/i.test(output.name))
        throw outputError(label, place.refused ?? unknownFieldReason(record, output.name));
    });
  Object.assign(parameters, changedAnswers(subject, answers, { parameters, force: taking.force }));
  return { parameters, faults };
}

/** Returns the column of answers with the outputs that answer questions of a form; empty if nothing changes. */
function changedAnswers(
  { record, row }: Subject,
  answers: ReadonlyMap<string, string>,
  { parameters, force }: { readonly parameters: Readonly<Record<string, RawValue>>; readonly force: boolean },
): Readonly<Record<string, RawValue>> {
  if (record.answers === undefined || answers.size === 0) return {};
  const before = (parameters[record.answers] ?? row[record.answers] ?? null) as string | null;
  const merged = mergeAnswers(record, before, answers);
  return force || merged !== before ? { [record.answers]: merged } : {};
}

type OutputTarget = { readonly column: Column; readonly text: string } | { readonly refused: string | undefined };

/**
 * Returns the column that an output sets. An output that references a record also sets the key of that name: `Property`
 * sets PropertyID.
 */
function outputTarget(ctx: Context, record: RecordType, output: RuleOutput): OutputTarget {
  const { name, text, reference } = output;
  const key = record.columns.get(`${name.toLowerCase()}id`);
  if (reference && key && acceptsReference(ctx, key, reference.object))
    return settable(record, key, String(reference.id));
  const column = record.columns.get(name.toLowerCase());
  if (column) return settable(record, column, column.field.kind === 'id' && reference ? String(reference.id) : text);
  // An empty output without a column of its own name empties the key of that name.
  return text === '' && !reference && key?.field.kind === 'id' ? settable(record, key, '') : { refused: undefined };
}

/** Whether a column is a key of records of this type. */
function acceptsReference({ registry }: Context, { field }: Column, object: string): boolean {
  const referenced = registry.record(object);
  if (field.kind !== 'id' || !referenced) return false;
  const target = field.to === undefined ? undefined : registry.record(field.to);
  return target === undefined || isA(referenced, target);
}

function settable(record: RecordType, column: Column, text: string): OutputTarget {
  if (column.column === `${record.root.table}id` && column.table === record.root.table)
    return { refused: `${column.name} is the record's identity, which no rule set changes` };
  if (column.column === 'version' || column.field.computed)
    return { refused: `${column.name} is computed by the platform` };
  if (column.field.classification === 'secret')
    return { refused: `${column.name} is protected and never set by a rule set` };
  return { column, text };
}

function unknownFieldReason(record: RecordType, name: string): string {
  const known = record.shown.filter(({ field }) => !field.computed).map((column) => column.name);
  const remedy = 'Rename the output, or add a custom field with customfield/save';
  return `${record.name} has no such field.${didYouMean(name, known)} ${remedy}`;
}

/** Returns the value in the form of its column. A value filled in from an empty field clears the column. */
function valueFor(ctx: Context, column: Column, text: string, label: string): RawValue {
  try {
    return parseValue(column.field, text, column.name, { timeZone: ctx.settings.get(timeZone) }) as RawValue;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw new PlatformError(error.code, { field: column.name, message: labeled(label, error.message), cause: error });
  }
}

function isChanged(column: Column, { record, row }: Subject, value: unknown): boolean {
  const shown = record.shown.find((each) => each.table === column.table && each.column === column.column);
  return shown === undefined || differs(column, row[shown.name], value);
}
