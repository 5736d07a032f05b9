import type { Answer } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { Operation } from '../../../../../kernel/declare/operation.ts';
import type { RecordType } from '../../../../../kernel/declare/record.ts';
import { mergeParameters, type Parameters } from '../../../../../kernel/parameters/parameters.ts';
import { parseRoute } from '../../../../../kernel/door/route.ts';
import { fillSignature, parseSignature, type Signature } from '../../../../../kernel/door/signature.ts';
import { answerValues, type AnswerValues } from '../../../../../lib/merge/merge-data.ts';
import { columnText } from '../../../lib/column-text.ts';
import type { PlannedStep } from '../template/plan.ts';
import type { StepOutcome, StepRun } from './run-step.ts';

/** Most rows that a step handles itself. A batch takes more. */
const ROWS_MAX = 10_000;
/** Most failed rows listed in the error of a step. */
const FAILURES_REPORTED_MAX = 5;

/** Returns the current operation of a signature. */
export async function operationOf(ctx: Context, signature: Pick<Signature, 'route'>): Promise<Operation | undefined> {
  const route = parseRoute(ctx.registry, signature.route.split('/'), 'POST');
  return route.operation ?? (await ctx.findOperation(route.module, route.path));
}

/** Returns the signature of the operation that a step calls. */
export function signatureOf(step: PlannedStep): Signature {
  return parseSignature(`${step.object ?? ''}/${step.operation ?? ''}?${step.parameters ?? ''}`, {
    field: 'Parameters',
  });
}

/**
 * Whether what a step calls is part of one transaction, so that the step's outcome can commit with it. Operations that
 * open their own transactions are not, except that a batch of them is queued as a whole. A single read changes nothing
 * that a second one would repeat.
 */
export async function commitsAsWhole(ctx: Context, step: PlannedStep): Promise<boolean> {
  const source =
    step.method === null ? undefined : await operationOf(ctx, parseSignature(step.method, { field: 'Method' }));
  if (step.batchLog && source?.returns === 'list') return true;
  const operation = await operationOf(ctx, signatureOf(step));
  if (operation === undefined || operation.transactions === 'own') return false;
  return operation.effect === 'write' || source !== undefined;
}

/** Calls the step's operation: once, or once for each row of Method. */
export async function callOperation(run: StepRun): Promise<StepOutcome> {
  const { ctx, step } = run;
  const signature = signatureOf(step);
  if (step.method === null) return callOnce(run, signature, {});
  const method = parseSignature(step.method, { field: 'Method' });
  const source = await operationOf(ctx, method);
  const parameters = await fillSignature(method, run.values.resolver(run.own));
  if (source?.returns === 'list')
    return step.batchLog ? queueRows(run, source, method, parameters) : callForRows(run, signature, method, parameters);
  return callOnce(run, signature, answerValues(await ctx.callNamed(method.route, parameters)));
}

async function callOnce(run: StepRun, signature: Signature, method: AnswerValues): Promise<StepOutcome> {
  const { ctx, state } = run;
  const operation = await operationOf(ctx, signature);
  const parameters = await fillCall(run, operation, signature, method);
  // An operation with a DecisionStepID parameter reports its own completion.
  const calledBack = operation !== undefined && 'DecisionStepID' in operation.params;
  const answer = await ctx.callNamed(
    signature.route,
    calledBack ? mergeParameters(parameters, { DecisionStepID: state.id }) : parameters,
  );
  const made = createdRecord(operation, answer);
  return calledBack ? { kind: 'waits', ...made } : { kind: 'complete', ...made };
}

/**
 * Returns the parameters of a step's call.
 * @throws MISSING_PARAMETER if merge fields leave the ID of the record empty that the call changes
 */
async function fillCall(
  { values, own }: StepRun,
  operation: Operation | undefined,
  signature: Signature,
  method: AnswerValues,
): Promise<Parameters> {
  const parameters = await fillSignature(signature, values.resolver(own, method));
  for (const parameter of signature.parameters)
    if ((parameters[parameter.name] ?? '') === '') assertNotIdentity(operation, signature, parameter);
  return parameters;
}

/** Throws for an empty ID that merge fields should have filled in: a save without ID would create a record. */
function assertNotIdentity(
  operation: Operation | undefined,
  { route }: Signature,
  { name, parts }: Signature['parameters'][number],
): void {
  if (operation?.effect !== 'write' || !operation.record || !isIdentity(operation.record, name)) return;
  const fields = parts.flatMap((part) => ('expression' in part ? [`{${part.expression}}`] : []));
  if (fields.length === 0) return;
  throw new PlatformError('MISSING_PARAMETER', {
    field: 'Parameters',
    message:
      `Parameters: ${name}=${fields.join('')} is empty, so that ${route} would not change the record that is meant. ` +
      'Expected a field of the step, the case or Method that has a value.',
  });
}

/** Whether a parameter of a call identifies the record that the call is about. */
export function isIdentity(record: RecordType, name: string): boolean {
  const lower = name.toLowerCase();
  return lower === 'id' || record.columns.get(lower)?.column === `${record.root.table}id`;
}

/** Returns the record that a call created or changed. */
function createdRecord(
  operation: Operation | undefined,
  answer: Answer,
): { readonly object?: string; readonly objectId?: number } {
  const { record } = operation ?? {};
  if (!record || operation?.effect !== 'write' || answer.kind !== 'item') return {};
  const id = (answer.row as Record<string, unknown>)[record.idField];
  return typeof id === 'number' ? { object: record.name, objectId: id } : {};
}

/** Calls the operation row by row, in order. A failing row is undone alone and the rest continue. */
async function callForRows(
  run: StepRun,
  signature: Signature,
  method: Signature,
  parameters: Parameters,
): Promise<StepOutcome> {
  const { ctx } = run;
  const operation = await operationOf(ctx, signature);
  const isWhole = operation?.transactions !== 'own';
  let rows = 0;
  let failed = 0;
  const failures: string[] = [];
  const call = async (row: Record<string, unknown>): Promise<void> => {
    rows++;
    try {
      const filled = await fillCall(run, operation, signature, { row });
      await (isWhole
        ? ctx.savepoint(() => ctx.callNamed(signature.route, filled))
        : ctx.callNamed(signature.route, filled));
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code === 'CONCURRENT_CHANGE') throw error;
      failed++;
      if (failures.length < FAILURES_REPORTED_MAX) failures.push(`row ${rows}: ${error.message}`);
    }
  };
  if (isWhole) await readRows(ctx, method, parameters, call);
  else for (const row of await allRows(ctx, method, parameters)) await call(row);
  if (failed === 0) return { kind: 'complete' };
  return {
    kind: 'failed',
    error: new PlatformError('RULE_EXCEPTION', {
      field: 'Method',
      message: `${failed} of ${rows} rows failed; the others are done. ${failures.join(' ')}`,
    }),
  };
}

/** Reads the rows of Method, at most ROWS_MAX, in the context's transaction. */
async function readRows(
  ctx: Context,
  method: Signature,
  parameters: Parameters,
  take: (row: Record<string, unknown>) => Promise<void>,
): Promise<void> {
  let rows = 0;
  await ctx.readNamed(method.route, parameters, async (piece) => {
    if (piece.kind !== 'list')
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Method',
        message: 'Method: expected an operation that returns rows.',
      });
    for (const row of piece.rows as readonly Record<string, unknown>[]) {
      if (++rows > ROWS_MAX)
        throw new PlatformError('TOO_LARGE', {
          field: 'Method',
          message: `Method: it returns more than ${ROWS_MAX} rows. With BatchLog there is no such limit.`,
        });
      await take(row);
    }
  });
}

/** Returns all rows of Method. An operation that opens its own transactions must not wait for the one of the read. */
function allRows(ctx: Context, method: Signature, parameters: Parameters): Promise<readonly Record<string, unknown>[]> {
  return ctx.inTransaction(async (own) => {
    const all: Record<string, unknown>[] = [];
    await readRows(own, method, parameters, (row) => {
      all.push(row);
      return Promise.resolve();
    });
    return all;
  });
}

/** Queues all rows as one batch, which calls back after its last row. */
async function queueRows(
  run: StepRun,
  source: Operation,
  method: Signature,
  parameters: Parameters,
): Promise<StepOutcome> {
  const { ctx, step, state } = run;
  const at = method.route.indexOf('/');
  const batch = await ctx.call(
    'importfile/batch',
    {
      ClassName: method.route.slice(0, at),
      Operation: method.route.slice(at + 1),
      Signature: await batchSignature(run, source),
      DecisionStepID: state.id,
      ...(step.queue === null ? {} : { BatchQueue: step.queue }),
      ...(step.threads === null ? {} : { BatchStepTheadCount: step.threads }),
    },
    parameters,
  );
  return { kind: 'waits', object: 'ImportFile', objectId: batch.row.ImportFileID };
}

/**
 * Returns the signature called for each row. Values of the case and the step are filled in now, those of the row later.
 */
async function batchSignature(
  { ctx, step, values, own }: StepRun,
  { record, rows, origin }: Operation,
): Promise<string> {
  const signature = signatureOf(step);
  // The columns of a saved statement are known only when it runs.
  const isOfRow = (name: string): boolean =>
    origin === 'statement' ||
    (rows ? Object.keys(rows).some((known) => known.toLowerCase() === name) : (record?.columns.has(name) ?? true));
  const resolve = values.resolver(own);
  const operation = await operationOf(ctx, signature);
  const pairs: string[] = [];
  for (const parameter of signature.parameters) {
    let text = '';
    for (const part of parameter.parts) {
      if ('text' in part) text += encodeURIComponent(part.text);
      else if (own.has(part.expression.toLowerCase()) || !isOfRow(part.expression.toLowerCase()))
        text += encodeURIComponent(columnText(await resolve(part.expression)));
      else text += `{${part.expression}}`;
    }
    if (text === '') assertNotIdentity(operation, signature, parameter);
    pairs.push(`${encodeURIComponent(parameter.name)}=${text}`);
  }
  return `${signature.route}?${pairs.join('&')}`;
}
