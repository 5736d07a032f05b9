import { versionOf, type Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../../kernel/parameters/parameters.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import { saveFromConfiguration } from '../../../../../kernel/records/save/save.ts';
import { concreteTypeOf } from '../../../../../kernel/records/save/concrete-type.ts';
import { lockRecord } from '../../../../../kernel/records/save/lock-record.ts';
import { versionConflict } from '../../../../../kernel/records/save/version-conflict.ts';
import { assertKnownInputs, type RuleSet } from './find-rule-set.ts';
import { recordChanges, type RecordChanges } from './record-changes.ts';
import { fillOutputs } from './fill-outputs.ts';
import { bestByFields, bestBySummary, rowNumber, type BestRow, type Subject } from './best-row.ts';

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
      message: 'Version: one record has a version; send its ID alone.',
    });
  if (!useSummary) return assertKnownInputs(ruleSet, sent);
  const [given] = Object.keys(sent);
  if (given !== undefined)
    throw new PlatformError('UNKNOWN_PARAMETER', {
      field: given,
      message: `${given.slice(0, 100)}: with RuleSetUseSummary the inputs come from the record's summary alone.`,
    });
}

async function applyToRecord(ctx: Context, id: number, application: RuleSetOptions): Promise<Row> {
  const { ruleSet, throwIfError, version } = application;
  const record = await concreteTypeOf(ctx, ctx.record, id);
  // Locked from here on: a concurrent change would make the rule set decide on outdated values.
  const row = await lockRecord(ctx, record, id);
  if (version !== undefined && versionOf(row) !== version) throw versionConflict(record, row, {}, version);
  const subject: Subject = { record, id, row };
  const best = await bestFor(ctx, subject, application);
  if (best.mismatches !== 0) {
    const what = noRowMessage(best, ruleSet, subject);
    if (throwIfError) throw new PlatformError('RULE_EXCEPTION', { field: 'RuleSet', message: what });
    ctx.alert({ code: 'NO_RULE', id, text: what });
    return inRequestedType(ctx, subject, row);
  }
  const { parameters, skipped: leftAside } = await decidedChanges(ctx, subject, best, application);
  for (const text of leftAside) ctx.alert({ code: 'OUTPUT_LEFT_ASIDE', id, text });
  if (Object.keys(parameters).length === 0) return inRequestedType(ctx, subject, row);
  const answer = await saveFromConfiguration(ctx, record, { ...parameters, ID: id });
  return inRequestedType(ctx, subject, answer.kind === 'item' ? (answer.row as Row) : undefined);
}

/** Returns the changes of the best row. Errors in its outputs name the row's number. */
async function decidedChanges(
  ctx: Context,
  subject: Subject,
  best: BestRow,
  { ruleSet, useSummary, sent, throwIfError, forceDirty }: RuleSetOptions,
): Promise<RecordChanges> {
  const { name } = ruleSet;
  const numbered = async (text: string): Promise<string> => {
    const row = useSummary ? undefined : await rowNumber(ctx, ruleSet, subject, sent);
    return row === undefined ? text : text.replace(`${name}, output`, () => `${name}, row ${row}, output`);
  };
  try {
    const outputs = await fillOutputs(ctx, best.outputs, subject, { ruleSet: name, summary: useSummary, sent });
    const { parameters, skipped: leftAside } = recordChanges(ctx, subject, outputs, {
      ruleSet: name,
      force: forceDirty,
      strict: throwIfError,
    });
    return { parameters, skipped: await Promise.all(leftAside.map(numbered)) };
  } catch (error) {
    if (!(error instanceof PlatformError) || !error.message.startsWith(`${name}, output`)) throw error;
    const { code, field, details } = error;
    throw new PlatformError(code, {
      message: await numbered(error.message),
      cause: error,
      ...(field === undefined ? {} : { field }),
      ...(details ? { details } : {}),
    });
  }
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
      : `the best one has ${mismatches} mismatch${mismatches === 1 ? '' : 'es'}`;
  return `${ruleSet.name}: no row decides ${record.name} ${id}; ${best}.`;
}

/** Returns the best row for a record, by its fields or its summary. */
export function bestFor(
  ctx: Context,
  subject: Subject,
  { ruleSet, useSummary, sent }: Pick<RuleSetOptions, 'ruleSet' | 'useSummary' | 'sent'>,
): Promise<BestRow> {
  return useSummary ? bestBySummary(ctx, ruleSet, subject) : bestByFields(ctx, ruleSet, subject, sent);
}
