import { assertNoCardNumbers } from '../../../../kernel/door/card-numbers.ts';
import type { Answer, Row as AnswerRow } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { isRetryable } from '../../../../kernel/database/database-error.ts';
import { parseRoute } from '../../../../kernel/door/route.ts';
import { OPERATION_FLAGS } from '../../../../contracts/import-engine.ts';
import { assertOperationsAllowed, savedAs, usedOperations } from '../../lib/operations-allowed.ts';
import type { Chunk } from './chunk.ts';
import { claimNextRow, runLeased, startLease, type ClaimedRow } from './claim-row.ts';
import { INTERRUPTED_MESSAGE, failureOutcome, recordOutcome, takeWarnings, type RowOutcome } from './row-outcome.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { fromParameterXml } from './parameter-xml.ts';
import type { BatchTerms } from './batch-terms.ts';

/** The result of running the next row. `until`: the row is running elsewhere; wait for its lease. */
export type RowStep = 'none' | 'complete' | 'error' | { readonly until: string };

/**
 * Runs the next row of a chunk. The call and its outcome commit together, so that a process that dies in between leaves
 * neither. A call that commits by itself is leased first; if its outcome never arrives, the row fails with {@link
 * INTERRUPTED_MESSAGE}. `onOutcome` receives the row's id once it has an outcome.
 */
export async function runNextRow(
  ctx: Context,
  chunk: Chunk,
  terms: BatchTerms,
  onOutcome: (rowId: number) => void = () => undefined,
): Promise<RowStep> {
  let at: ClaimedRow | undefined;
  const done = (step: RowStep): RowStep => {
    if (at && (step === 'complete' || step === 'error')) onOutcome(at.id);
    return step;
  };
  try {
    const found = await ctx.inTransaction(async (own): Promise<RowStep | { readonly started: ClaimedRow }> => {
      const row = (at = await claimNextRow(own, chunk));
      if (!row) return 'none';
      if (row.leasedUntil !== null) {
        if (row.leasedUntil > own.clock.now()) return { until: row.leasedUntil };
        return recordStep(
          own,
          { ...row, run: row.run - 1 },
          { status: 'Error', operation: row.operation, result: null, message: INTERRUPTED_MESSAGE },
          terms,
        );
      }
      if (await commitsItself(own, row, terms)) {
        await startLease(own, row);
        return { started: row };
      }
      return recordStep(own, row, await tryRow(own, row, terms), terms);
    });
    if (typeof found === 'string' || 'until' in found) return done(found);
    const { started } = found;
    const outcome = await runLeased(ctx, started, () => callCommittingRow(ctx, started));
    return done(await ctx.inTransaction((own) => recordStep(own, started, outcome, terms)));
  } catch (error) {
    // A failure at the commit, or a repeated one, is the row's failure too; it must not block the rows after it.
    const row = at;
    const outcome = row && failureOutcome(ctx, row, error);
    if (!row || !outcome) throw error;
    return done(await ctx.inTransaction((own) => recordStep(own, row, outcome, terms)));
  }
}

async function recordStep(
  own: Context,
  row: ClaimedRow,
  outcome: RowOutcome,
  { categories }: BatchTerms,
): Promise<RowStep> {
  await recordOutcome(own, row, outcome, categories);
  return outcome.status === 'Complete' ? 'complete' : 'error';
}

async function commitsItself(own: Context, row: ClaimedRow, { allowed }: BatchTerms): Promise<boolean> {
  const route = parseRoute(own.registry, [row.className, ...row.operation.split('/')], 'POST');
  return (
    (allowed & OPERATION_FLAGS.invoke) !== 0 &&
    route.operation?.transactions === 'own' &&
    route.operation.effect === 'write' &&
    !route.queued
  );
}

/** Runs the row's call in a savepoint, which is rolled back on failure. */
async function tryRow(own: Context, row: ClaimedRow, terms: BatchTerms): Promise<RowOutcome> {
  try {
    return await own.savepoint(() => callRow(own, row, terms));
  } catch (error) {
    const outcome = isRetryable(error) ? undefined : failureOutcome(own, row, error);
    if (!outcome) throw error;
    return outcome;
  }
}

async function callRow(own: Context, row: ClaimedRow, { allowed }: BatchTerms): Promise<RowOutcome> {
  const saves = /^(?:save|insert|update)(?:\/\d+)?$/i.test(row.operation);
  if (!saves) assertOperationsAllowed(OPERATION_FLAGS.invoke, allowed, 'row');
  const before = { ...own.writeCounts };
  const answer = await own.callNamed(`${row.className}/${row.operation}`, parametersOf(own, row));
  if (saves) assertOperationsAllowed(usedOperations(own, before), allowed, 'row');
  const result = resultId(own, row, answer);
  const name = own.registry.record(row.className)?.name ?? row.className;
  return {
    status: 'Complete',
    operation: saves ? savedAs(own, name, result) : row.operation,
    result,
    message: takeWarnings(own),
  };
}

/** Returns the parameters of a row's call. @throws BAD_PARAMETER for a card number */
function parametersOf(ctx: Context, { className, parameterXml }: ClaimedRow): Parameters {
  const parameters = fromParameterXml(parameterXml);
  assertNoCardNumbers(ctx, { params: {}, record: ctx.registry.record(className) }, parameters);
  return parameters;
}

async function callCommittingRow(ctx: Context, row: ClaimedRow): Promise<RowOutcome> {
  try {
    const answer = await ctx.callNamed(`${row.className}/${row.operation}`, parametersOf(ctx, row));
    const result = resultId(ctx, row, answer);
    return { status: 'Complete', operation: row.operation, result, message: takeWarnings(ctx) };
  } catch (error) {
    takeWarnings(ctx);
    const outcome = failureOutcome(ctx, row, error);
    if (!outcome) throw error;
    return outcome;
  }
}

/**
 * Returns the id in the call's result, if that is one record of the row's class or has an id of that name. A list of
 * one such record counts, too: operations that change several records answer with a list.
 */
function resultId(ctx: Context, row: ClaimedRow, answer: Answer): number | null {
  const record = ctx.registry.record(row.className);
  const only = onlyRow(answer, record?.name);
  if (!only) return null;
  const id = Number(only[record?.idField ?? 'ID']);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}

function onlyRow(answer: Answer, recordName: string | undefined): AnswerRow | undefined {
  if (answer.kind === 'item') return answer.row as AnswerRow;
  const isOne = answer.kind === 'list' && answer.name === recordName && answer.rows.length === 1;
  return isOne ? (answer.rows[0] as AnswerRow) : undefined;
}
