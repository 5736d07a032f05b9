import { DEFAULT_RULE_VALIDATOR, RULE_VALIDATOR, type RuleVerdict } from '../../../../contracts/rule-validator.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import { rowAfter, ruleDocument } from '../../../../kernel/ports/business-rules.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { sandboxScope } from '../../../../kernel/security/identity.ts';
import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { planOptions, planSave } from '../../../../kernel/records/save/plan.ts';
import { assertCanSearch, notFound, readRecord } from '../../../../kernel/records/search/read.ts';
import { concreteTypeOf } from '../../../../kernel/records/save/concrete-type.ts';
import { checkTable } from './rule-checks.ts';
import { testedConditions, type RuleCondition } from './tested-conditions.ts';
import type { businessRule } from '../businessrule.record.ts';

/** A trial of a stored rule or of a text, on a stored or new record, with changed values. */
interface RuleTrial {
  /** The stored rule, if there is one. */
  readonly rule: Row<typeof businessRule> | undefined;
  readonly text: string | null | undefined;
  readonly table: string | null | undefined;
  readonly operation: string | null | undefined;
  readonly recordId: number | null | undefined;
  readonly values: Parameters;
}

/** The parameters of a trial besides the values. */
export interface TrialParameters {
  readonly ID?: number | null;
  readonly Stylesheet?: string | null;
  readonly AppliesTo?: string | null;
  readonly Operation?: string | null;
  readonly RecordID?: number | null;
}

/** Returns the trial that a call describes. */
export function trialOf(
  rule: Row<typeof businessRule> | undefined,
  { Stylesheet: text, AppliesTo: table, Operation: operation, RecordID: recordId }: TrialParameters,
  values: Parameters,
): RuleTrial {
  return { rule, text, table, operation, recordId, values };
}

/** The verdict of a trial, with its input and duration. */
export interface TrialResult {
  readonly verdict: RuleVerdict;
  /** The document that the rule evaluated. */
  readonly xml: string;
  readonly milliseconds: number;
  /** The conditions of the rule, if it is a stylesheet. */
  readonly conditions: readonly TriedCondition[];
}

/** A condition of a rule for one document. */
export interface TriedCondition extends Pick<RuleCondition, 'test' | 'says' | 'line'> {
  /** Null if only running the rule can decide it. */
  readonly holds: boolean | null;
  readonly values: readonly { readonly name: string; readonly value: string | null }[];
}

/** Longest rule output that is returned, in characters. */
const OUTPUT_CHARACTERS_MAX = 100_000;

/** Runs one rule as a save would, without saving. Reads only a record that the caller can see. */
export async function tryRule(ctx: Context, tried: RuleTrial): Promise<TrialResult> {
  const { rule } = tried;
  const table = checkTable(ctx, tried.table ?? rule?.AppliesTo);
  const text = tried.text ?? rule?.Stylesheet;
  if (typeof text !== 'string' || text === '') throw bad('Stylesheet', 'a text, since the rule has none');
  const named = rule?.RuleValidator ?? DEFAULT_RULE_VALIDATOR;
  const validator = ctx.providers.get(RULE_VALIDATOR, named);
  await validator.check(text);
  const xml = await trialDocument(ctx, table, tried);
  const began = performance.now();
  const [verdict] = await validator.validate({ rules: [text], xml, scope: sandboxScope(ctx.user) });
  const milliseconds = Math.round((performance.now() - began) * 1_000) / 1_000;
  const conditions = named === DEFAULT_RULE_VALIDATOR ? await tryConditions(ctx, text, xml) : [];
  if (!verdict) throw new Error(`the rule validator ${named} returned no verdict`);
  return {
    verdict: { ...verdict, output: verdict.output.slice(0, OUTPUT_CHARACTERS_MAX) },
    xml,
    milliseconds,
    conditions,
  };
}

/** Returns which conditions of a stylesheet hold for a document. Without results if one cannot be evaluated alone. */
async function tryConditions(ctx: Context, stylesheet: string, xml: string): Promise<TriedCondition[]> {
  const conditions = testedConditions(stylesheet);
  const expressions = [
    ...new Set(
      conditions.flatMap(({ xpath, values }) => [
        ...(xpath === undefined ? [] : [xpath]),
        ...values.map((value) => value.xpath),
      ]),
    ),
  ];
  const found = await evaluateEach(ctx, expressions, xml);
  return conditions.map(({ test, says, line, xpath, values }) => {
    const outcome = xpath === undefined ? undefined : found.get(xpath);
    return {
      test,
      says,
      line,
      holds: outcome === undefined ? null : outcome === 'true',
      values: values.map((value) => ({ name: value.name, value: found.get(value.xpath) ?? null })),
    };
  });
}

async function evaluateEach(
  ctx: Context,
  expressions: readonly string[],
  xml: string,
): Promise<ReadonlyMap<string, string | undefined>> {
  if (expressions.length === 0) return new Map();
  try {
    const found = await ctx.sandbox.evaluate({ xml, expressions, scope: sandboxScope(ctx.user) });
    return new Map(expressions.map((expression, at) => [expression, found[at]]));
  } catch (error) {
    // The verdict remains valid: a condition may use what only its stylesheet defines.
    if (error instanceof PlatformError && error.code === 'BAD_XPATH') return new Map();
    throw error;
  }
}

/** Returns the record that would be changed. Throws NOT_FOUND, naming the parameter, and NO_PERMISSION. */
async function storedRecord(
  ctx: Context,
  record: RecordType,
  id: number,
): Promise<{ readonly concrete: RecordType; readonly before?: Row }> {
  assertCanSearch(ctx, record);
  try {
    const concrete = await concreteTypeOf(ctx, record, id);
    return { concrete, before: await readRecord(ctx.db, concrete, id) };
  } catch (error) {
    throw error instanceof PlatformError && error.code === 'NOT_FOUND' ? notFound(record, id, 'RecordID') : error;
  }
}

/** Throws for values that no column of the rule's table takes. */
export async function checkTrialValues(ctx: Context, tried: RuleTrial): Promise<void> {
  const { record } = checkTable(ctx, tried.table ?? tried.rule?.AppliesTo);
  if (record) await trialChange(ctx, record, tried);
}

/** The operation of a trial and the record that it would change. */
interface TrialChange {
  readonly operation: string;
  readonly isChange: boolean;
  readonly concrete: RecordType;
  readonly before?: Row;
  readonly after: Row | undefined;
}

async function trialChange(ctx: Context, record: RecordType, tried: RuleTrial): Promise<TrialChange> {
  const recordId = tried.recordId ?? undefined;
  const operation = trialOperation(tried);
  const isChange = operation === 'Insert' || operation === 'Update';
  const stored = recordId === undefined ? { concrete: record } : await storedRecord(ctx, record, recordId);
  const { concrete, before }: Pick<TrialChange, 'concrete' | 'before'> = stored;
  const after = isChange
    ? rowAfter(concrete, before, planSave(ctx.registry, concrete, tried.values, planOptions(ctx)).values)
    : before;
  return { operation, isChange, after, ...stored };
}

function trialOperation({ operation, recordId, rule }: RuleTrial): string {
  const [first] = splitCommaList(rule?.Operation ?? '');
  const change = (recordId ?? undefined) === undefined ? 'Insert' : 'Update';
  return operation ?? (first === undefined || first === 'Save' ? change : first);
}

async function trialDocument(
  ctx: Context,
  { name, record }: ReturnType<typeof checkTable>,
  tried: RuleTrial,
): Promise<string> {
  // This call's parameters describe the trial; the other values sent are those of the call being tried.
  if (!record) return ruleDocument(ctx, { operation: trialOperation(tried), of: name }, name, tried.values);
  const { operation, isChange, concrete, before, after } = await trialChange(ctx, record, tried);
  const isOld = before !== undefined && (isChange || operation === 'Delete');
  return ruleDocument(
    ctx,
    { operation, of: concrete, ...(isOld ? { before } : {}), ...(after ? { after } : {}) },
    record,
    tried.values,
  );
}
