import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { f } from '../../declare/field.ts';
import { parseValue, type ParseOptions, type RawValue } from '../../parameters/parse-value.ts';
import type { RecordType } from '../../declare/record.ts';

/** A rule set that a save asks for: parameters of the record type's UpdateFromRule. */
export type RuleSetCall = Readonly<Record<string, RawValue>>;

/** What any save takes beside its fields. */
export const ruleSetFields = {
  RuleSetMatrix: f.text({
    doc: 'A matrix, by its name or id, that is applied to the record once it is saved: fields that are named like its outputs are set.',
    max: 100,
  }),
  RuleSetUseSummary: f.boolean({
    doc: "Whether that matrix is looked up by the record's summary instead of its own fields.",
  }),
  RuleSetThrowIfError: f.boolean({
    doc: 'False: where no row of that matrix decides, the save stands with an alert instead of failing.',
  }),
};

/** What they become, by lower-cased name. */
const parameters = new Map(
  Object.entries(ruleSetFields).map(([name, field]) => [
    name.toLowerCase(),
    { field, becomes: name === 'RuleSetMatrix' ? 'RuleSet' : name },
  ]),
);

/** Reads one of the parameters that any save takes beside its fields; undefined where the name is none of them. */
export function ruleSetParameter(
  lower: string,
  raw: RawValue,
  said: string,
  options: ParseOptions,
): RuleSetCall | undefined {
  const found = parameters.get(lower);
  if (!found) return undefined;
  const value = parseValue(found.field, raw, said, options) as RawValue;
  return value === null ? {} : { [found.becomes]: value };
}

/** A save that says how a rule set is applied says which. */
export function assertRuleSetNamed(call: RuleSetCall | undefined, prefix: string): void {
  if (call && !('RuleSet' in call))
    throw new PlatformError('MISSING_PARAMETER', {
      field: `${prefix}RuleSetMatrix`,
      message: `${prefix}RuleSetMatrix: the name of the matrix is required beside what says how it is used.`,
    });
}

/** Refuses a caller who may save records of a type, but not have rule sets decide over them: whoever chooses the matrix reads what stands in it. */
export function assertCanApplyRuleSet(ctx: Context, record: RecordType): void {
  if (ctx.authority !== 'checked') return;
  const permission = ctx.registry.find(record.module, 'updatefromrule')?.operation.permissionName;
  if (permission === undefined || ctx.user.permissions.has(permission)) return;
  throw new PlatformError('NO_PERMISSION', {
    message: `The permission ${permission} is not granted to you; it is needed for RuleSetMatrix.`,
  });
}

/** Applies the rule set that a save asks for to the record that was saved, which is saved again only where a value changes. */
export async function applyRuleSet(ctx: Context, record: RecordType, id: number, call: RuleSetCall): Promise<void> {
  assertCanApplyRuleSet(ctx, record);
  // On the authority of the save, which has been shown; that save does not ask for a rule set, so that there is no end to find.
  await ctx.call(`${record.module}/updatefromrule` as never, { ...call, RuleSetForceDirty: false, ID: id });
}
