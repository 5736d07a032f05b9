import { DEFAULT_RULE_VALIDATOR, RULE_VALIDATOR, type RuleValidator } from '../../../../contracts/rule-validator.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { nearest, PlatformError } from '../../../../kernel/door/errors.ts';
import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';

/** The most active rules that a table may have: each is asked at every change. */
const ACTIVE_RULES_MAX = 200;

/** A rule as it would be stored, by lower-cased column. */
export type RuleValues = ReadonlyMap<string, unknown>;

/** What a rule applies to, in the platform's own spelling. A rule of rules could forbid its own mending. */
export function checkTable(
  ctx: Context,
  value: unknown,
): { readonly name: string; readonly record: RecordType | undefined } {
  if (typeof value !== 'string' || value.trim() === '')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'AppliesTo',
      message: 'AppliesTo is required: the table that the rule looks at.',
    });
  const tableName = value.trim();
  const record = ctx.registry.record(tableName);
  if (record?.name === 'BusinessRule')
    throw bad(
      'AppliesTo',
      'a table other than BusinessRule: a rule that refuses changes of rules could not be taken back',
    );
  if (record) return { name: record.name, record };
  if (ctx.registry.hasModule(tableName)) return { name: tableName.toLowerCase(), record: undefined };
  return { name: ctx.registry.requireRecord(tableName, 'AppliesTo').name, record: undefined };
}

const changes = ['Insert', 'Update', 'Save', 'Delete'];

/** The operations that a rule names, each in its own spelling. */
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
        'Operation is required: Insert, Update, Save, Delete, or the name of an operation or saved statement, with commas between several.',
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
      `the name of an operation: nobody saves a ${record.name}, and those that the platform writes are not asked about`,
    );
  if (change) return change;
  // A rule of a base is a rule of what derives from it, whose operations may be theirs alone.
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
  const near = nearest(name, new Set(known));
  throw bad(
    'Operation',
    `Insert, Update, Save, Delete, or an operation or saved statement of ${table}; ${name.slice(0, 60)} is none.${near.length > 0 ? ` Nearest: ${near.join(', ')}` : ''}`,
  );
}

/** The rule's text, where it is new or becomes active: compiled where it will run, by the plug-in that will run it. */
export async function checkRuleText(ctx: Context, values: RuleValues, isActive: boolean): Promise<void> {
  const name = values.get('rulevalidator');
  const validator = ctx.providers.get<RuleValidator>(
    RULE_VALIDATOR,
    typeof name === 'string' ? name : DEFAULT_RULE_VALIDATOR,
  );
  const text = values.get('stylesheet');
  if (typeof text === 'string' && text !== '') return validator.check(text);
  if (isActive)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Stylesheet',
      message:
        'Stylesheet is required of an active rule. Save it with the rule, or save the rule with Status Inactive, put the stylesheet on it as a document whose name ends with .xslt, and make it Active.',
    });
}

/** The table has room for one more active rule. */
export async function assertActiveRulesBelowMax(ctx: Context, table: string, id: number | undefined): Promise<void> {
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::integer as count from businessrule where appliesto = $1::text and status = 'Active' and businessruleid is distinct from $2::bigint`,
    [table, id ?? null],
  );
  if (Number(row?.count) >= ACTIVE_RULES_MAX)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Status',
      message: `Status: ${table} has ${ACTIVE_RULES_MAX} active rules, which is the most that a table may have.`,
    });
}
