import { DEFAULT_RULE_VALIDATOR, RULE_VALIDATOR } from '../../../../contracts/rule-validator.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { inlineHint, PlatformError } from '../../../../kernel/door/errors.ts';
import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import type { businessRule } from '../businessrule.record.ts';

/** Most active rules per table, since every one runs on each change. */
const ACTIVE_RULES_MAX = 200;

/** A rule as it would be stored. */
export type RuleValues = Partial<Row<typeof businessRule>>;

/**
 * Returns the record type that a rule applies to. Throws for BusinessRule itself: such a rule could block its own
 * correction.
 */
export function checkTable(
  ctx: Context,
  value: unknown,
): { readonly name: string; readonly record: RecordType | undefined } {
  if (typeof value !== 'string' || value.trim() === '')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'AppliesTo',
      message: 'AppliesTo is required: the table that the rule applies to.',
    });
  const tableName = value.trim();
  const record = ctx.registry.record(tableName);
  if (record?.name === 'BusinessRule')
    throw bad(
      'AppliesTo',
      'a table other than BusinessRule: a rule that refuses changes to rules could never be removed',
    );
  if (record) return { name: record.name, record };
  if (ctx.registry.hasModule(tableName)) return { name: tableName.toLowerCase(), record: undefined };
  return { name: ctx.registry.requireRecord(tableName, 'AppliesTo').name, record: undefined };
}

const changes = ['Insert', 'Update', 'Save', 'Delete'];

/** Returns the operations that a rule names, in their declared spelling. */
export async function checkOperations(
  ctx: Context,
  table: ReturnType<typeof checkTable>,
  value: unknown,
): Promise<string> {
  const names = typeof value === 'string' ? splitCommaList(value) : [];
  if (names.length === 0)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Operation',
      message:
        'Operation is required: Insert, Update, Save, Delete, or the name of an operation or saved ' +
        'statement; separate several with commas.',
    });
  const spelled: string[] = [];
  for (const name of names) spelled.push(await checkOperation(ctx, table, name));
  return [...new Set(spelled)].join(', ');
}

async function checkOperation(
  ctx: Context,
  { name: table, record }: ReturnType<typeof checkTable>,
  name: string,
): Promise<string> {
  const change = record && changes.find((one) => one.toLowerCase() === name.toLowerCase());
  if (change && record.history === false)
    throw bad(
      'Operation',
      `the name of an operation: users cannot save ${record.name} records, and rules do not run for records that ` +
        'the platform writes',
    );
  if (change) return change;
  // A rule on a base type covers its derived types, which may have operations that the base lacks.
  const modules = record ? ctx.registry.family(record).map(({ module }) => module) : [table];
  for (const module of modules) {
    const found = await ctx.findOperation(module, name.toLowerCase());
    if (found) return found.name;
  }
  const known = [
    ...(record ? changes : []),
    ...ctx.registry
      .operations()
      .filter(({ module }) => modules.includes(module))
      .map((operation) => operation.name),
  ];
  throw bad(
    'Operation',
    `Insert, Update, Save, Delete, or an operation or saved statement of ${table}, found ${name.slice(0, 60)}` +
      inlineHint(name, new Set(known)),
  );
}

/** Has the rule's provider compile the text of a new or newly activated rule, where it will run. */
export async function checkRuleText(ctx: Context, values: RuleValues, isActive: boolean): Promise<void> {
  const { RuleValidator: name, Stylesheet: text } = values;
  const validator = ctx.providers.get(RULE_VALIDATOR, typeof name === 'string' ? name : DEFAULT_RULE_VALIDATOR);
  if (typeof text === 'string' && text !== '') return validator.check(text);
  if (isActive)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Stylesheet',
      message:
        'Stylesheet is required for an active rule. Save it with the rule; or save the rule with Status ' +
        'Inactive, attach the stylesheet as a document whose name ends with .xslt, and set Status to Active.',
    });
}

/** Throws TOO_LARGE if the table already has the most active rules. */
export async function assertActiveRulesBelowMax(ctx: Context, table: string, id: number | undefined): Promise<void> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::integer as count
     from businessrule
     where appliesto = $1::text and status = 'Active' and businessruleid is distinct from $2::bigint`,
    [table, id ?? null],
  );
  if (Number(row?.count) >= ACTIVE_RULES_MAX)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Status',
      message:
        `Status: ${table} already has ${ACTIVE_RULES_MAX} active rules, the most that a table can have. Make ` +
        'another rule Inactive first.',
    });
}
