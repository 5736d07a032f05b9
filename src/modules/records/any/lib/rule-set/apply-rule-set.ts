import { versionOf, type Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { fromDatabaseError, isRetryable } from '../../../../../kernel/database/database-error.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../../kernel/parameters/parameters.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import { saveFromConfiguration } from '../../../../../kernel/records/save/save.ts';
import { concreteTypeOf } from '../../../../../kernel/records/save/concrete-type.ts';
import { lockRecord } from '../../../../../kernel/records/save/lock-record.ts';
import { versionConflict } from '../../../../../kernel/records/save/version-conflict.ts';
import { assertKnownInputs, type RuleSet } from './find-rule-set.ts';
import { recordChanges, type RecordChanges } from './record-changes.ts';
import { fillOutputs, labeled } from './fill-outputs.ts';
import { findBestRow, type BestRow, type RuleOutput } from './best-row.ts';
import { storeRuleTrace, type RuleTraceSource } from './rule-trace.ts';
import type { Subject } from '../../../../rules/public/matrix-decision.ts';

/** How a rule set is applied. The first three are the parameters of the same names. */
export interface RuleSetOptions {
  readonly ruleSet: RuleSet;
  readonly useSummary: boolean;
  /**
   * Fails the whole call if no row decides a record or an output matches no field; otherwise these are skipped with an
   * alert.
   */
  readonly throwIfError: boolean;
  /** Also writes values that are equal already. */
  readonly forceDirty: boolean;
  /** Inputs of the call besides the record's own fields. */
  readonly sent: Parameters;
  readonly version?: number | undefined;
  /** Why the rule set is applied, for the trace. */
  readonly source: RuleTraceSource;
}

/**
 * Applies a rule set to records that the caller can see: looks up the best row for each, and sets the fields named like
 * its outputs with an ordinary save.
 */
export async function applyRuleSet(ctx: Context, ids: readonly number[], application: RuleSetOptions): Promise<Row[]> {
  assertApplicable(ids, application);
  // In id order, so that two calls over the same records wait for each other without a deadlock.
  const rows = new Map<number, Row>();
  for (const id of [...ids].sort((a, b) => a - b)) rows.set(id, await applyToRecord(ctx, id, application));
  return ids.map((id) => rows.get(id) ?? {});
}

function assertApplicable(ids: readonly number[], { ruleSet, useSummary, sent, version }: RuleSetOptions): void {
  if (version !== undefined && ids.length > 1)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Version',
      message: 'Version: a version belongs to a single record; send one ID with it.',
    });
  assertRuleSetInputs(ruleSet, { useSummary, sent });
}

/** Throws for a name that is neither a parameter nor an input of the rule set, or that its summary would override. */
export function assertRuleSetInputs(
  ruleSet: RuleSet,
  { useSummary, sent }: { readonly useSummary: boolean; readonly sent: Parameters },
): void {
  if (!useSummary) return assertKnownInputs(ruleSet, sent);
  const [given] = Object.keys(sent);
  if (given !== undefined)
    throw new PlatformError('UNKNOWN_PARAMETER', {
      field: given,
      message: `${given.slice(0, 100)}: with RuleSetUseSummary the inputs come from the record's summary alone.`,
    });
}

async function applyToRecord(ctx: Context, id: number, application: RuleSetOptions): Promise<Row> {
  const { version } = application;
  const record = await concreteTypeOf(ctx, ctx.record, id);
  // Locked from here on: a concurrent change would make the rule set decide on outdated values.
  const row = await lockRecord(ctx, record, id);
  if (version !== undefined && versionOf(row) !== version) throw versionConflict(record, row, {}, version);
  const subject: Subject = { record, id, row };
  return inRequestedType(ctx, subject, (await applyToLocked(ctx, subject, application)) ?? row);
}

/** Applies a rule set to a locked record. Returns its row as saved; undefined if nothing changes. */
export async function applyToLocked(
  ctx: Context,
  subject: Subject,
  application: RuleSetOptions,
): Promise<Row | undefined> {
  const { ruleSet, throwIfError } = application;
  const { id } = subject;
  return throwIfError
    ? decideAndSave(ctx, subject, application)
    : decideAndSave(ctx, subject, application).catch((error: unknown) => {
        if (!(error instanceof PlatformError) || !recordFaults.has(error.code)) throw error;
        const { message } = error;
        const text = message.startsWith(ruleSet.name) ? message : `${ruleSet.name}: ${message}`;
        ctx.alert({ code: 'RULE_SET_FAILED', id, text });
        return undefined;
      });
}

/** Errors that come from the row that decides, or from the record, and do not stop the other records. */
const recordFaults: ReadonlySet<string> = new Set([
  'BAD_PARAMETER',
  'BAD_XML',
  'BAD_XPATH',
  'CHAIN_TOO_DEEP',
  'DUPLICATE_KEY',
  'IN_USE',
  'MISSING_PARAMETER',
  'NOT_FOUND',
  'RULE_EXCEPTION',
  'STATE_REFUSES',
  'TOO_LARGE',
  'UNKNOWN_PARAMETER',
]);

/** Saves what the best row decides and stores why. Returns the row as saved; undefined if nothing changes. */
async function decideAndSave(ctx: Context, subject: Subject, application: RuleSetOptions): Promise<Row | undefined> {
  const { ruleSet, throwIfError } = application;
  const { record, id } = subject;
  const best = await findBestRow(ctx, subject, application);
  if (best.mismatches !== 0) {
    const what = noRowMessage(best, ruleSet, subject);
    if (throwIfError) throw new PlatformError('RULE_EXCEPTION', { field: 'RuleSet', message: what });
    ctx.alert({ code: 'NO_RULE', id, text: what });
    return undefined;
  }
  const name = `${ruleSet.name}, row ${best.steps[0]?.row ?? 0}`;
  const { outputs, parameters, faults } = await decidedChanges(ctx, subject, best, { ...application, name });
  if (throwIfError && faults[0]) throw faults[0].error;
  for (const { error } of faults) ctx.alert({ code: 'OUTPUT_LEFT_ASIDE', id, text: error.message });
  if (Object.keys(parameters).length === 0) return undefined;
  // Configuration chose an automatic rule set, so the user needs no permission for what it saves.
  const authority = application.source === 'Automatic' ? 'granted' : ctx.authority;
  const save = async (): Promise<Row | undefined> => {
    const answer = await saveFromConfiguration(ctx, record, { ...parameters, ID: id }, authority);
    return answer.kind === 'item' ? (answer.row as Row) : undefined;
  };
  try {
    const saved = await (throwIfError ? save() : ctx.savepoint(save));
    await storeRuleTrace(ctx, subject, {
      best,
      outputs,
      source: application.source,
      version: saved && versionOf(saved),
    });
    return saved ?? (await readRecord(ctx.db, record, id));
  } catch (error) {
    throw withRuleSetName(ctx, error, name, parameters);
  }
}

/**
 * Names rule set and row in an error about a field that an output sets, the database's included. Returns others, and
 * those that make the transaction run again, unchanged.
 */
function withRuleSetName(ctx: Context, error: unknown, name: string, parameters: RecordChanges['parameters']): unknown {
  if (isRetryable(error) || (error instanceof PlatformError && isRetryable(error.cause))) return error;
  const known =
    error instanceof PlatformError
      ? error
      : fromDatabaseError(error, (table, column) => ctx.registry.record(table)?.columns.get(column)?.name);
  if (known?.field === undefined || !(known.field in parameters)) return known ?? error;
  const { code, field, details } = known;
  return new PlatformError(code, {
    field,
    message: labeled(`${name}, output ${field}`, known.message),
    // The database's error, by which a conflicting record is found.
    cause: known.cause ?? known,
    ...(details ? { details } : {}),
  });
}

/** Returns the changes of the best row. Faults in its outputs name the row's number. */
async function decidedChanges(
  ctx: Context,
  subject: Subject,
  best: BestRow,
  { name, useSummary, sent, forceDirty }: RuleSetOptions & { readonly name: string },
): Promise<RecordChanges & { readonly outputs: readonly RuleOutput[] }> {
  const { outputs, faults } = await fillOutputs(ctx, best.outputs, subject, {
    ruleSet: name,
    summary: useSummary,
    sent,
  });
  const changes = recordChanges(ctx, subject, outputs, { ruleSet: name, force: forceDirty });
  return { outputs, parameters: changes.parameters, faults: [...faults, ...changes.faults] };
}

/** Returns the record with the columns of the requested type; a row of that very type need not be read again. */
async function inRequestedType(ctx: Context, { record, id }: Subject, row: Row | undefined): Promise<Row> {
  return row !== undefined && record === ctx.record ? row : readRecord(ctx.db, ctx.record, id);
}

/** Returns why no row of a rule set decides a record. */
export function noRowMessage({ mismatches }: BestRow, ruleSet: RuleSet, { record, id }: Subject): string {
  const best =
    mismatches === undefined
      ? 'the matrix has no rows'
      : `the closest one has ${mismatches} mismatch${mismatches === 1 ? '' : 'es'}`;
  return `${ruleSet.name}: no row matches ${record.name} ${id}; ${best}.`;
}
