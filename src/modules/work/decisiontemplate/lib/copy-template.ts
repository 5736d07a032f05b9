import { requireColumn } from '../../../../kernel/declare/values.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { fromOf, idOf, selectListOf } from '../../../../kernel/database/sql.ts';
import type { decisionTemplate } from '../decisiontemplate.record.ts';
import type { RecordName } from '../../../../kernel/declare/catalog.ts';

/** Most names tried for a copy. */
const NAMES_MAX = 1_000;

/** Returns a record's own fields: without its ID, parent, and tracking columns. */
function ownFields(record: RecordType, row: Row, leave: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const { name, field } of record.shown) {
    const value = row[name] ?? null;
    if (value !== null && field.computed !== true && name !== 'Version' && !leave.includes(name)) fields[name] = value;
  }
  return fields;
}

async function childFields(
  ctx: Context,
  name: RecordName,
  templateId: number,
  leave: readonly string[],
): Promise<Record<string, unknown>[]> {
  const record: RecordType = ctx.registry.recordType(name);
  const rows = await ctx.db.query(
    `select ${selectListOf(record)}
     from ${fromOf(record)}
     where ${record.table}.decisiontemplateid = $1::bigint
     order by ${idOf(record)}`,
    [templateId],
  );
  return rows.map((row) => ownFields(record, row, leave));
}

/**
 * Returns what a copy of a workflow template is saved with: its fields, steps, and dependencies, which refer to steps
 * by name.
 */
export async function copyParameters(
  ctx: Context,
  template: Row<typeof decisionTemplate>,
  name: string,
): Promise<Record<string, unknown>> {
  const id = template.DecisionTemplateID;
  const steps = await childFields(ctx, 'DecisionStepTemplate', id, ['DecisionTemplateID']);
  const dependencies = await childFields(ctx, 'DecisionDependency', id, [
    'DecisionTemplateID',
    'DecisionStepTemplateID',
    'DependencyStepTemplateID',
  ]);
  return {
    ...ownFields(ctx.record, template, ['DecisionTemplate']),
    DecisionTemplate: name,
    ...(steps.length > 0 ? { Steps: steps } : {}),
    ...(dependencies.length > 0 ? { Dependencies: dependencies } : {}),
  };
}

/**
 * Returns a name that no workflow template for the same records has: `Foreclosure (copy)`, then `Foreclosure (copy 2)`.
 */
export async function freeName(ctx: Context, template: Row<typeof decisionTemplate>): Promise<string> {
  const { field } = requireColumn(ctx.registry.recordType('DecisionTemplate'), 'DecisionTemplate');
  const names = Array.from({ length: NAMES_MAX }, (_, n) =>
    copyName(template.DecisionTemplate ?? '', n + 1, field.max ?? 100),
  );
  // Names are passed as values: the database compares them, ignoring case and accents.
  const [free] = await ctx.db.query<{ name: string }>(
    `select w.name
     from json_array_elements_text($1::json) with ordinality as w (name, at)
     where not exists (
       select
       from decisiontemplate t
       where t.decisiontemplate = w.name collate casewright_text
         and coalesce(t.appliesto, '') = coalesce($2::text, '') collate casewright_text
     )
     order by w.at
     limit 1`,
    [JSON.stringify(names), template.AppliesTo],
  );
  if (!free)
    throw new PlatformError('DUPLICATE_KEY', {
      field: 'DecisionTemplate',
      message: `DecisionTemplate: ${NAMES_MAX} copies already have such a name; send another.`,
    });
  return free.name;
}

/** Shortens a long name to leave room for the suffix. */
function copyName(name: string, count: number, max: number): string {
  const behind = count === 1 ? ' (copy)' : ` (copy ${count})`;
  return `${name
    .slice(0, max - behind.length)
    .toWellFormed()
    .trimEnd()}${behind}`;
}
