import { recordId, type ItemAnswer, type ListAnswer, type Row } from '../../../../../kernel/door/answer.ts';
import { namesHint, PlatformError } from '../../../../../kernel/door/errors.ts';
import { mergeParameters, type Parameters } from '../../../../../kernel/parameters/parameters.ts';
import type { RawValue } from '../../../../../kernel/parameters/parse-value.ts';
import { findTemplate } from '../../../../../kernel/records/save/template.ts';
import { fillSignature, parseSignature } from '../../../../../kernel/door/signature.ts';
import { instanceKind, type InstanceKind } from '../template/check-step.ts';
import { assertHasAnswers } from '../step/follow-up-task.ts';
import { messageContent } from './message-content.ts';
import type { StepRun, StepOutcome } from './run-step.ts';

/** Creates a record from the step's template below the case. Waits for it if its type has a completion date. */
export async function makeInstance(run: StepRun): Promise<StepOutcome> {
  const { ctx, step } = run;
  const kind = step.object === null ? undefined : instanceKind(ctx, step.object);
  if (!kind)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Object',
      message: `Object: ${String(step.object)} is no longer a template type.`,
    });
  const { templateId, sent } = await chooseTemplate(run, kind);
  const signature = parseSignature(`${kind.instance.module}/save?${step.parameters ?? ''}`, { field: 'Parameters' });
  const filled = await fillSignature(signature, run.values.resolver(run.own));
  const chosen = mergeParameters(filled, sent, instanceParameters(run, kind, templateId));
  const content = kind.of.name === 'MessageTemplate' ? await messageContent(run, templateId, chosen) : {};
  const answer = (await ctx.callNamed(`${kind.instance.module}/save`, mergeParameters(content, chosen))) as ItemAnswer;
  const { row } = answer;
  const made = { object: kind.instance.name, objectId: recordId(kind.instance, row) };
  const waits =
    kind.instance.valueColumns.has('ActualCompletion') &&
    !step.createOnCompletion &&
    (row['ActualCompletion'] ?? null) === null;
  // The one task of its type on the case may have been reported complete, without answers.
  if (!waits && kind.instance.name === 'ImportForm' && !step.createOnCompletion)
    await assertHasAnswers(ctx, made.objectId);
  return waits ? { kind: 'waits', ...made } : { kind: 'complete', ...made };
}

/** Returns the parameters that a step sets on every record it creates, as far as the type has the columns. */
function instanceParameters(run: StepRun, { of, instance }: InstanceKind, templateId: number): Parameters {
  const { state, step, values } = run;
  const all: Record<string, RawValue> = { [of.idField]: templateId };
  const put = (name: string, value: RawValue | undefined): void => {
    const column = instance.valueColumns.get(name);
    if (column && value !== undefined && value !== null) all[name] = value;
  };
  put('Object', values.record?.name);
  put('ObjectID', values.id);
  put(instance.name === 'Decision' ? 'ParentDecisionStepID' : 'DecisionStepID', state.id);
  put('EstimatedStart', state.estimatedStart);
  put('EstimatedCompletion', state.estimatedCompletion);
  put('AssignedCollectionID', step.teamId);
  return all;
}

/** Returns the step's template, or the one its matrix picks for the case, with further parameters from the matrix. */
async function chooseTemplate(
  run: StepRun,
  kind: InstanceKind,
): Promise<{ readonly templateId: number; readonly sent: Parameters }> {
  const { ctx, step, values } = run;
  if (step.matrixId === null) return { templateId: step.objectId ?? 0, sent: {} };
  if (!values.record || values.id === undefined)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ObjectMatrixID',
      message: 'ObjectMatrixID: the workflow has no record to look up in a matrix.',
    });
  const { rows, shape } = await ctx.call('matrix/lookupbyobject', {
    ID: step.matrixId,
    Object: values.record.name,
    ObjectID: values.id,
    DisplaySize: 1,
  });
  const outputs = matrixOutputs(rows[0], shape);
  const sent = submittedOutputs(outputs.values, `${kind.instance.name.toLowerCase()}_`);
  const name = outputs.values.get('templatename') ?? null;
  if (typeof name === 'string' && name.trim() !== '') {
    const template = await findTemplate(ctx, kind.of, {
      name: name.trim(),
      parentClass: values.record.name,
      field: 'TemplateName',
    });
    return { templateId: template.id, sent };
  }
  if (step.objectId !== null) return { templateId: step.objectId, sent };
  throw noTemplateChosen(outputs);
}

/** The outputs of a matrix for a case. */
interface MatrixOutputs {
  /** Whether a row matched the case. */
  readonly isMatch: boolean;
  /** By lower-cased name; null for all of them without a match. */
  readonly values: ReadonlyMap<string, unknown>;
}

/** Returns the outputs of the best row of a matrix. A column is an output if it has an ID column of its measure. */
function matrixOutputs(
  row: (Row & { readonly MisMatchCount: number | null }) | undefined,
  shape: ListAnswer['shape'],
): MatrixOutputs {
  const isMatch = row !== undefined && (row.MisMatchCount ?? 0) === 0;
  const isOutput = (name: string): boolean =>
    shape.some((other) => other.name === `${name}ID` && other.field.to === 'MatrixMeasure');
  const names = shape.map(({ name }) => name).filter(isOutput);
  return {
    isMatch,
    values: new Map(names.map((name) => [name.toLowerCase(), isMatch ? (row[name] ?? null) : null])),
  };
}

/** Returns the outputs named after the instance, such as `ImportForm_Status`, as parameters to save it with. */
function submittedOutputs(outputs: ReadonlyMap<string, unknown>, prefix: string): Parameters {
  const sent: Record<string, RawValue> = {};
  for (const [output, value] of outputs)
    if (output.startsWith(prefix) && value !== null) sent[output.slice(prefix.length)] = value as RawValue;
  return sent;
}

function noTemplateChosen({ isMatch, values }: MatrixOutputs): PlatformError {
  const hint = namesHint('TemplateName', values.keys());
  return new PlatformError('RULE_EXCEPTION', {
    field: 'ObjectMatrixID',
    message:
      isMatch && !values.has('templatename')
        ? `ObjectMatrixID: the matrix has no output TemplateName.${hint}`
        : 'ObjectMatrixID: no row of the matrix picks a template for the case.',
  });
}
