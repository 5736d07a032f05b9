import type { Context } from '../../../../../kernel/door/context.ts';
import type { Field } from '../../../../../kernel/declare/field-types.ts';
import type { RecordType } from '../../../../../kernel/declare/record.ts';
import { marks } from '../../../../../kernel/door/scratch.ts';
import { parseSignature } from '../../../../../kernel/door/signature.ts';
import { isIdentity, operationOf } from '../pass/call-operation.ts';
import { ownNames } from '../pass/case-values.ts';
import { instanceKind } from './check-step.ts';
import type { PlannedStep } from './plan.ts';

/**
 * Warns about a step that changes the record named by a column that firms can save. The step runs as the built-in user
 * Workflow, so the firm could choose any record. The template is saved all the same, since no firm may be allowed to
 * change the column.
 */
export async function warnFirmControlledTarget(
  ctx: Context,
  step: PlannedStep,
  appliesTo: string | null,
): Promise<void> {
  const route = routeOf(ctx, step);
  if (route === undefined || step.parameters === null) return;
  const operation = await operationOf(ctx, { route });
  const changed = operation?.effect === 'write' ? operation.record : undefined;
  if (!changed) return;
  const sources = valueSources(ctx, step, appliesTo);
  for (const { name, parts } of parseSignature(`${route}?${step.parameters}`, { field: 'Parameters' }).parameters) {
    if (!isIdentity(changed, name)) continue;
    for (const part of parts) {
      const chosen = 'expression' in part ? firmWritableColumn(sources, part.expression) : undefined;
      if (chosen && mayPointAnywhere(ctx, chosen.field, changed))
        warnOnce(
          ctx,
          step,
          `Step "${step.name}": Parameters take ${name}={${chosen.column}}, which firms can change by ` +
            `saving the ${chosen.record.name}. The step has access to all records and changes whatever ` +
            `${changed.name} the column names. Use a column that only the platform sets.`,
        );
    }
  }
}

/** Returns the records whose columns a merge field names: the one that Method returns before the case. */
function valueSources(ctx: Context, { method }: PlannedStep, appliesTo: string | null): readonly RecordType[] {
  const rows =
    method === null
      ? undefined
      : ctx.registry.record(parseSignature(method, { field: 'Method' }).route.split('/')[0] ?? '');
  return [rows, ctx.registry.record(appliesTo ?? '')].flatMap((record) => record ?? []);
}

/**
 * Returns whether a column's value can name a record that the firm cannot access. A reference to a record of the
 * changed type cannot: the firm needed access to that record to save it.
 */
function mayPointAnywhere(ctx: Context, field: Field, changed: RecordType): boolean {
  const pointsTo = field.to === undefined ? undefined : ctx.registry.record(field.to);
  return pointsTo?.root !== changed.root || changed.reach === 'configuration';
}

/** Warnings of the transaction: step and text. */
const warnings = marks<string>('warnings about firm-controlled targets');

/** A template used in the call that changes it is checked twice; warn once. */
function warnOnce(ctx: Context, { id }: PlannedStep, text: string): void {
  ctx.once(warnings, `${id} ${text}`, () => ctx.alert({ code: 'FIRMS_CHOICE', text, id }));
}

function routeOf(ctx: Context, { object, operation }: PlannedStep): string | undefined {
  if (object === null) return undefined;
  if (operation !== null) return `${object}/${operation}`;
  const kind = instanceKind(ctx, object);
  return kind && `${kind.instance.module}/save`;
}

/** Returns the column of a merge field, if users of a firm with access to its record can save it. */
function firmWritableColumn(
  sources: readonly RecordType[],
  expression: string,
): { readonly record: RecordType; readonly column: string; readonly field: Field } | undefined {
  const lower = expression.toLowerCase();
  if (ownNames.has(lower)) return undefined;
  const record = sources.find(({ columns }) => columns.has(lower));
  const column = record?.columns.get(lower);
  if (!record || !column || (record.reach !== 'one' && record.reach !== 'many')) return undefined;
  return column.field.computed === true || column.column === `${record.root.table}id` || column.column === 'recordclass'
    ? undefined
    : { record, column: column.name, field: column.field };
}
