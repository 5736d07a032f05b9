import type { Context } from '../../../../../kernel/door/context.ts';
import { durationUnit } from '../../../lib/duration.ts';
import { inlineHint, PlatformError } from '../../../../../kernel/door/errors.ts';
import { sandboxScope } from '../../../../../kernel/security/identity.ts';
import type { RecordType } from '../../../../../kernel/declare/record.ts';
import { isA } from '../../../../../kernel/declare/registry.ts';
import { checkSignature, parseSignature } from '../../../../../kernel/door/signature.ts';
import { assertReadWhole } from '../../../../../kernel/door/read-whole.ts';
import { checkStylesheet } from '../../../../../kernel/xml/stylesheet.ts';
import { operationOf } from '../pass/call-operation.ts';
import { isPolling, repeatability, type PlannedStep } from './plan.ts';

/** Most rows of a batch that run in parallel. */
const THREADS_MAX = 64;

/** The parameters that QueueParameters may set. */
const queueNames = ['QueueName', 'QueuedDate', 'QueueLabel'];

/** A template type and the type of its records. */
export interface InstanceKind {
  readonly of: RecordType;
  readonly instance: RecordType;
}

/** Returns the template type that a step's Object names, by the template's or the record's name. */
export function instanceKind(ctx: Pick<Context, 'registry'>, name: string): InstanceKind | undefined {
  const lower = name.toLowerCase();
  for (const instance of ctx.registry.records()) {
    const of = instance.template === undefined ? undefined : ctx.registry.record(instance.template);
    if (of && (of.name.toLowerCase() === lower || instance.name.toLowerCase() === lower)) return { of, instance };
  }
  return undefined;
}

/** Checks a step. @throws BAD_PARAMETER, BAD_SIGNATURE, BAD_STYLESHEET, BAD_XPATH naming the step and the column */
export async function checkStep(ctx: Context, step: PlannedStep, appliesTo: string | null): Promise<void> {
  try {
    checkNumbers(step);
    if (step.xslt !== null) await checkXslt(ctx, step.xslt);
    await checkWork(ctx, step);
    if (step.operation === null && step.object !== null) await checkTemplateOf(ctx, step, appliesTo);
    if (step.method !== null) await checkMethod(ctx, step, step.method);
    checkBatch(step);
    if (step.referenceDate !== null && !/^\w+$/.test(step.referenceDate))
      await ctx.sandbox.checkXPath([step.referenceDate]);
    checkQueue(ctx, step);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw new PlatformError(error.code, {
      message: `Step "${step.name}": ${error.message}`,
      ...(error.field === undefined ? {} : { field: error.field }),
      ...(error.details ? { details: error.details } : {}),
      cause: error,
    });
  }
}

/** Checks what Method calls. All of its rows are read if they are gone through. */
async function checkMethod(ctx: Context, step: PlannedStep, method: string): Promise<void> {
  const signature = await checkSignature(ctx, method, { field: 'Method' });
  const source = step.operation === null ? undefined : await operationOf(ctx, signature);
  if (source?.returns !== 'list') return;
  try {
    assertReadWhole(
      source,
      signature.parameters.map(({ name }) => name),
    );
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw new PlatformError(error.code, { field: 'Method', message: `Method: ${error.message}`, cause: error });
  }
}

/** Checks a stylesheet when the template is saved instead of when the step runs. */
async function checkXslt(ctx: Context, text: string): Promise<void> {
  try {
    checkStylesheet(text);
    await ctx.sandbox.compile(text, sandboxScope(ctx.user));
  } catch (error) {
    if (!(error instanceof PlatformError) || error.field !== 'Stylesheet') throw error;
    throw new PlatformError(error.code, {
      field: 'StepXslt',
      message: error.message.replace(/^Stylesheet/, 'StepXslt'),
      ...(error.details ? { details: error.details } : {}),
      cause: error,
    });
  }
}

function wrong(field: string, expected: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', { field, message: `${field}: expected ${expected}.` });
}

function checkNumbers(step: PlannedStep): void {
  if (step.name.trim() === '') throw wrong('DecisionStepTemplate', 'a name');
  if (!Object.values<number>(repeatability).includes(step.repeatability))
    throw wrong('Repeatability', '0 (by hand), 1 (once) or 2 (again)');
  durationUnit(step.durationScale);
  if (step.duration !== null && Number(step.duration) < 0 && step.referenceDate === null)
    throw wrong('EstimatedDuration', '0 or more, or a ReferenceDate before which the step is due');
  if (step.threads !== null && (step.threads < 1 || step.threads > THREADS_MAX))
    throw wrong('BatchStepTheadCount', `1 to ${THREADS_MAX}`);
  const type = step.type?.toLowerCase();
  if ((type === 'polling' || type === 'ifthen') && step.xslt === null)
    throw wrong('StepXslt', `a stylesheet, since the step is of the type ${step.type}`);
  if (step.scheduleId !== null && !isPolling(step))
    throw wrong('MonitorScheduleID', 'no value: only a step of the type Polling polls');
}

/** Checks what the step does: create a record, call an operation, evaluate a stylesheet, or wait for a person. */
async function checkWork(ctx: Context, step: PlannedStep): Promise<void> {
  if (step.operation !== null) return checkOperation(ctx, step, step.operation);
  if (step.batchLog) throw wrong('BatchLog', 'an Operation that is called for each row of Method');
  if (step.object === null) {
    if (step.objectId !== null || step.matrixId !== null) throw wrong('Object', 'the record type of the template');
    return;
  }
  const kind = instanceKind(ctx, step.object);
  if (!kind) {
    const known = ctx.registry.records().flatMap(({ template }) => template ?? []);
    throw wrong('Object', 'the record type of a template, or with Operation a module' + inlineHint(step.object, known));
  }
  if (step.objectId === null && step.matrixId === null)
    throw wrong('ObjectID', `the ID of one ${kind.of.name}, or ObjectMatrixID, which picks one`);
  if (step.parameters !== null)
    await checkSignature(ctx, `${kind.instance.module}/save?${step.parameters}`, { field: 'Parameters' });
}

/** Checks a step that calls an operation. */
async function checkOperation(ctx: Context, step: PlannedStep, operation: string): Promise<void> {
  if (step.object === null) throw wrong('Object', 'the module of the operation');
  if (step.objectId !== null)
    throw wrong('ObjectID', 'no value with an Operation: a step creates a record or calls an operation');
  if (step.xslt !== null)
    throw wrong('StepXslt', 'no value with an Operation: a step evaluates a stylesheet or calls an operation');
  // First without parameters, so that the error names the field that is wrong.
  await checkSignature(ctx, `${step.object}/${operation}`, {
    field: ctx.registry.hasModule(step.object.toLowerCase()) ? 'Operation' : 'Object',
  });
  await checkSignature(ctx, `${step.object}/${operation}?${step.parameters ?? ''}`, { field: 'Parameters' });
}

/**
 * Checks that the template exists and applies to the same records as the workflow: otherwise no record could be
 * created.
 */
async function checkTemplateOf(
  ctx: Context,
  { object, objectId }: PlannedStep,
  appliesTo: string | null,
): Promise<void> {
  const kind = instanceKind(ctx, object ?? '');
  if (!kind || objectId === null) return;
  const of = kind.of.valueColumns.has('AppliesTo') ? 'appliesto' : 'null::text';
  const [found] = await ctx.db.query<{ appliesTo: string | null }>(
    `select ${of} as "appliesTo" from ${kind.of.table} where ${kind.of.table}id = $1::bigint`,
    [objectId],
  );
  if (!found) throw wrong('ObjectID', `the ID of one ${kind.of.name}; there is none with ID ${objectId}`);
  const [theirs, ours] = [ctx.registry.record(found.appliesTo ?? ''), ctx.registry.record(appliesTo ?? '')];
  if (theirs && ours && !isA(theirs, ours) && !isA(ours, theirs))
    throw wrong(
      'ObjectID',
      `the ID of one ${kind.of.name} for ${ours.name} records, as the workflow is; ${objectId} is for ` +
        `${theirs.name} records`,
    );
}

/** Parameters of a batch, which a query therefore cannot use for its own. */
const batchNames = ['ClassName', 'Operation', 'Signature', 'BatchQueue', 'DecisionStepID', 'BatchStepTheadCount'];

function checkBatch({ batchLog, method }: PlannedStep): void {
  if (!batchLog) return;
  if (method === null) throw wrong('Method', 'the query whose rows are processed, since BatchLog is set');
  const taken = parseSignature(method, { field: 'Method' }).parameters.find(({ name }) =>
    batchNames.some((known) => known.toLowerCase() === name.toLowerCase()),
  );
  if (taken)
    throw wrong(
      'Method',
      `no parameter ${taken.name}, which BatchLog uses itself; rename it, for example in a saved ` + 'statement',
    );
}

function checkQueue(ctx: Context, { queue, queueParameters }: PlannedStep): void {
  if (queue !== null) ctx.queue.queueOf(queue);
  if (queueParameters === null) return;
  for (const { name, parts } of parseSignature(`Queue/Send?${queueParameters}`, { field: 'QueueParameters' })
    .parameters) {
    if (!queueNames.some((known) => known.toLowerCase() === name.toLowerCase()))
      throw wrong('QueueParameters', `names among ${queueNames.join(', ')}, found ${name.slice(0, 60)}`);
    const [only] = parts;
    if (name.toLowerCase() === 'queuename' && parts.length === 1 && only && 'text' in only)
      ctx.queue.queueOf(only.text);
  }
}
