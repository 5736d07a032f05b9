import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { f } from '../../declare/field.ts';
import { parseValue, type ParseOptions, type RawValue } from '../../parameters/parse-value.ts';
import type { RecordType } from '../../declare/record.ts';

/** The rule set that a save applies: parameters of the record type's UpdateFromRule. */
export type RuleSetCall = Readonly<Record<string, RawValue>>;

/** The parameters that every save takes besides its fields. */
export const ruleSetFields = {
  RuleSetMatrix: f.text({
    doc: 'Decision table (name or id) to apply to the saved record: it sets the fields named like its outputs.',
    max: 100,
  }),
  RuleSetUseSummary: f.boolean({
    doc: "Looks the decision table up by the record's summary instead of its own fields.",
  }),
  RuleSetThrowIfError: f.boolean({
    doc: 'False: where no rule row matches, the save succeeds with an alert instead of failing.',
  }),
};

/** The parameters by lower-cased name, each with the name that it has in UpdateFromRule. */
const parameters = new Map(
  Object.entries(ruleSetFields).map(([name, field]) => [
    name.toLowerCase(),
    { field, target: name === 'RuleSetMatrix' ? 'RuleSet' : name },
  ]),
);

/** Parses one of {@link ruleSetFields}. Undefined for any other name; empty for an empty value. */
export function ruleSetParameter(
  lower: string,
  raw: RawValue,
  name: string,
  options: ParseOptions,
): RuleSetCall | undefined {
  const found = parameters.get(lower);
  if (!found) return undefined;
  const value = parseValue(found.field, raw, name, options) as RawValue;
  return value === null ? {} : { [found.target]: value };
}

/** Throws MISSING_PARAMETER where a save says how to apply a rule set but not which. */
export function assertRuleSetNamed(call: RuleSetCall | undefined, prefix: string): void {
  if (call && !('RuleSet' in call))
    throw new PlatformError('MISSING_PARAMETER', {
      field: `${prefix}RuleSetMatrix`,
      message: `${prefix}RuleSetMatrix is required with the other RuleSet parameters: the name or id of the matrix.`,
    });
}

/**
 * Throws NO_PERMISSION unless the caller may apply rule sets to records of a type. Permission to save is not enough:
 * who chooses the matrix can read its contents from the result.
 */
export function assertCanApplyRuleSet(ctx: Context, record: RecordType): void {
  if (ctx.authority !== 'checked') return;
  const permission = ctx.registry.find(record.module, 'updatefromrule')?.operation.permissionName;
  if (permission === undefined || ctx.user.permissions.has(permission)) return;
  throw new PlatformError('NO_PERMISSION', {
    message: `The permission ${permission} is not granted to you; RuleSetMatrix requires it.`,
  });
}

/** Applies a rule set to the record that was saved. The record is saved again only where a value changes. */
export async function applyRuleSet(ctx: Context, record: RecordType, id: number, call: RuleSetCall): Promise<void> {
  assertCanApplyRuleSet(ctx, record);
  // Runs on the authority of the save, which has been checked. Cannot recurse: the inner save has no rule set.
  await ctx.callOf(record, 'updatefromrule', { ...call, RuleSetForceDirty: false, ID: id });
}
