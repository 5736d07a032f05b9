import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f } from '../../../kernel/declare/field.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { defineSaveFeature, requireState, stateOf } from '../../../kernel/declare/save-feature.ts';
import { parseValue, type RawValue } from '../../../kernel/parameters/parse-value.ts';

/** The rule set that a save applies: parameters of the record type's UpdateFromRule. */
type RuleSetCall = Record<string, RawValue>;

const fields = {
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
  Object.entries(fields).map(([name, field]) => [
    name.toLowerCase(),
    { field, target: name === 'RuleSetMatrix' ? 'RuleSet' : name },
  ]),
);

export const saveFeature = defineSaveFeature({
  doc: 'A save applies a rule set to the record that it saved.',
  fields,
  initial: (): RuleSetCall => ({}),
  parse({ plan }, { name, raw, field }, { options }) {
    const found = parameters.get(name.toLowerCase());
    if (!found) return false;
    const value = parseValue(found.field, raw, field, options) as RawValue;
    // An empty parameter asks for no rule set.
    if (value !== null) requireState(plan, saveFeature)[found.target] = value;
    return true;
  },
  assertParsed(plan, { prefix }) {
    const call = stateOf(plan, saveFeature);
    if (call && !('RuleSet' in call))
      throw new PlatformError('MISSING_PARAMETER', {
        field: `${prefix}RuleSetMatrix`,
        message: `${prefix}RuleSetMatrix is required with the other RuleSet parameters: the name or ID of the matrix.`,
      });
  },
  assertAllowed(ctx, plan) {
    if (stateOf(plan, saveFeature)) assertCanApplyRuleSet(ctx, plan.record);
  },
  async after(ctx, plan, id) {
    const call = stateOf(plan, saveFeature);
    if (!call) return false;
    assertCanApplyRuleSet(ctx, plan.record);
    // Runs on the authority of the save, which has been checked. Cannot recurse: the inner save has no rule set. The
    // record is saved again only where a value changes.
    await ctx.callOf(plan.record, 'updatefromrule', { ...call, RuleSetForceDirty: false, ID: id });
    return true;
  },
});

/**
 * Throws NO_PERMISSION unless the caller may apply rule sets to records of a type. Permission to save is not enough:
 * who chooses the matrix can read its contents from the result.
 */
function assertCanApplyRuleSet(ctx: Context, record: RecordType): void {
  if (ctx.authority !== 'checked') return;
  const permission = ctx.registry.find(record.module, 'updatefromrule')?.operation.permissionName;
  if (permission === undefined || ctx.user.permissions.has(permission)) return;
  throw new PlatformError('NO_PERMISSION', {
    message: `The permission ${permission} is not granted to you; RuleSetMatrix requires it.`,
  });
}
