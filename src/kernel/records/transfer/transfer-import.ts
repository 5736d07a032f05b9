import type { Context } from '../../door/context.ts';
import { fromDatabaseError, isRetryable } from '../../database/database-error.ts';
import { PlatformError } from '../../door/errors.ts';
import { f } from '../../declare/field.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import { valueNames, type Values } from '../../declare/values.ts';
import { planColumns } from '../save/plan.ts';
import { addExternalId } from '../save/external-id.ts';
import { lockConfiguration, isReference, type TransferColumn } from './transfer.ts';
import { canonicalJson } from './transfer-export.ts';
import { nodesWithCalls, tryImport, type Attempt } from './transfer-trial.ts';
import { matchItems, itemLabel, type TransferNode } from './transfer-match.ts';
import { withLine, readConfiguration, plainFields } from './transfer-read.ts';
import { differs } from '../save/version-conflict.ts';
import { runChecks } from '../save/run-checks.ts';
import { saveRecord } from '../save/save-record.ts';

/** The fields of the answer: one record of the document and what was done with it. */
export const importFields = {
  Object: f.text({ doc: 'The record type.' }),
  ID: f.id({ doc: 'The record; empty for one that a preview would insert.' }),
  SubscriberID: f.text({ doc: 'Its external ID in the document.' }),
  Name: f.text({ doc: 'Its label.' }),
  Operation: f.text({ doc: 'Insert, Update or Unchanged.' }),
  FoundBy: f.text({ doc: 'How the existing record was found: by SubscriberID or by Name.' }),
  Fields: f.text({ doc: 'The fields that change, comma-separated.' }),
  Line: f.integer({ doc: 'Its line in the document.' }),
};

/** What an import does with one record. */
interface ImportStep {
  readonly node: TransferNode;
  readonly operation: 'Insert' | 'Update' | 'Unchanged';
  readonly changes: readonly TransferColumn[];
}

/** Applies a configuration document, all or nothing, and returns what was done. With `preview`, only checks it. */
export async function importConfiguration(
  ctx: Context,
  source: Uint8Array | string,
  preview: boolean,
): Promise<Record<string, unknown>[]> {
  const items = readConfiguration(ctx, source);
  assertMayImport(ctx, new Set(items.map((item) => item.record)));
  await lockConfiguration(ctx);
  const nodes = await matchItems(ctx, items);
  const steps = nodes.map(importStep);
  for (const { node, operation } of steps) if (operation === 'Insert') assertRequired(node);
  if (preview) return previewSteps(ctx, steps);
  await applySteps(ctx, steps, (_node, run) => run());
  await logImport(ctx, steps);
  return steps.map(importResult);
}

/** Checks every record, and tries the import of those that configure calls. Returns what an import would do. */
async function previewSteps(ctx: Context, steps: readonly ImportStep[]): Promise<Record<string, unknown>[]> {
  for (const step of steps) await withDocumentPosition(ctx, step.node, () => checkStep(ctx, step));
  const results = steps.map(importResult);
  const tried = nodesWithCalls(
    ctx,
    steps.filter(({ operation }) => operation !== 'Unchanged').map(({ node }) => node),
  );
  if (tried.size > 0)
    await tryImport(ctx, (attempt) =>
      applySteps(
        ctx,
        steps.filter(({ node }) => tried.has(node)),
        attempt,
      ),
    );
  return results;
}

/** Throws NO_PERMISSION unless the caller may import every record type of the document. */
function assertMayImport(ctx: Context, records: ReadonlySet<RecordType>): void {
  if (ctx.authority !== 'checked') return;
  for (const record of records) {
    const name = ctx.registry.find(record.module, 'import')?.operation.permissionName;
    if (name === undefined || !ctx.user.permissions.has(name))
      throw new PlatformError('NO_PERMISSION', {
        message:
          `The permission ${name ?? `${record.name}Import`} is not granted to you; ` +
          `importing the document's ${record.name} records requires it.`,
      });
  }
}

function importStep(node: TransferNode): ImportStep {
  const { item, row } = node;
  if (!row)
    return {
      node,
      operation: 'Insert',
      changes: [...item.fields]
        .filter(([column, { value }]) => value !== null && (!isReference(column) || node.references.has(column)))
        .map(([column]) => column),
    };
  const changes = [...item.fields]
    .filter(([column, { value }]) => isFieldChanged(node, column, row[column.column.name] ?? null, value))
    .map(([column]) => column);
  return { node, operation: changes.length > 0 ? 'Update' : 'Unchanged', changes };
}

function isFieldChanged(node: TransferNode, column: TransferColumn, current: unknown, sent: unknown): boolean {
  if (!isReference(column))
    return column.column.field.kind === 'json'
      ? canonicalJson(current) !== canonicalJson(sent)
      : differs(column.column, current, sent);
  const reference = node.references.get(column);
  if (reference === undefined) return false;
  return current !== (typeof reference === 'object' && reference ? reference.id : reference);
}

/**
 * Throws MISSING_PARAMETER, with the line, where a new record lacks a required field. Runs before anything is written.
 */
function assertRequired(node: TransferNode): void {
  const { record, fields, line } = node.item;
  const present = new Set(
    [...fields]
      .filter(([column, { value }]) => value !== null && (!isReference(column) || node.references.has(column)))
      .map(([{ column }]) => column.column),
  );
  const missing = [...new Set(record.columns.values())].find(
    (c: Column) => c.field.required && !c.field.computed && c.field.default === undefined && !present.has(c.column),
  );
  if (missing)
    throw withLine(
      line,
      itemLabel(node.item),
      new PlatformError('MISSING_PARAMETER', {
        field: missing.name,
        message: `${missing.name} is required. ${missing.field.doc}`,
      }),
    );
}

/** Runs the checks of a record type on what would be written. */
async function checkStep(ctx: Context, { node, operation, changes }: ImportStep): Promise<void> {
  if (operation === 'Unchanged') return;
  const { values } = columnValues(node, changes);
  await runChecks(ctx, node.item.record, { values, id: node.id });
}

/** Saves the records in an order in which each finds what it requires. `attempt` runs the save of each. */
async function applySteps(ctx: Context, steps: readonly ImportStep[], attempt: Attempt): Promise<void> {
  const byNode = new Map(steps.map((step) => [step.node, step]));
  const late: { node: TransferNode; columns: readonly TransferColumn[] }[] = [];
  for (const node of inRequiredOrder(steps)) {
    const step = byNode.get(node);
    if (!step) continue;
    const columns = await attempt(node, () => withDocumentPosition(ctx, node, () => applyStep(ctx, step)));
    if (columns && columns.length > 0) late.push({ node, columns });
  }
  // References to records inserted later: circles, and references against the order.
  for (const { node, columns } of late)
    await withDocumentPosition(ctx, node, () =>
      saveRecord(
        ctx,
        { ...planColumns(node.item.record, columnValues(node, columns).values), id: node.id ?? 0 },
        'update',
      ),
    );
}

async function logImport(ctx: Context, steps: readonly ImportStep[]): Promise<void> {
  const count = (operation: ImportStep['operation']): number =>
    steps.filter((step) => step.operation === operation).length;
  await ctx.security({
    event: 'ConfigurationImported',
    object: ctx.operation.record?.name ?? '',
    detail: `${count('Insert')} inserted, ${count('Update')} updated, ${count('Unchanged')} unchanged`,
  });
}

/** Saves one record and returns the references that must wait for records not yet inserted. */
async function applyStep(ctx: Context, { node, operation, changes }: ImportStep): Promise<readonly TransferColumn[]> {
  const { item } = node;
  const { values, waiting } = columnValues(node, operation === 'Insert' ? [...item.fields.keys()] : changes);
  if (operation === 'Insert') node.id = (await saveRecord(ctx, planColumns(item.record, values), 'insert')).id;
  else if (valueNames(values).length > 0)
    await saveRecord(ctx, { ...planColumns(item.record, values), id: node.id ?? 0 }, 'update');
  if (node.foundBy !== 'SubscriberID') await addExternalId(ctx, item.record, node.id ?? 0, item.identifier);
  return waiting;
}

function columnValues(
  node: TransferNode,
  columns: readonly TransferColumn[],
): { values: Values; waiting: TransferColumn[] } {
  const values: Values = {};
  const waiting: TransferColumn[] = [];
  for (const column of columns) {
    if (!isReference(column)) {
      values[column.column.valueName] = node.item.fields.get(column)?.value ?? null;
      continue;
    }
    const reference = node.references.get(column);
    if (reference === undefined) continue;
    const id = typeof reference === 'object' && reference ? reference.id : reference;
    if (id === undefined) waiting.push(column);
    else values[column.column.valueName] = id;
  }
  return { values, waiting };
}

/**
 * Sorts the records: existing ones first, so that names they give up are free; before each, the records that it
 * requires.
 */
function inRequiredOrder(steps: readonly ImportStep[]): TransferNode[] {
  const ordered: TransferNode[] = [];
  const entered = new Set<TransferNode>();
  const needed = (node: TransferNode): TransferNode[] =>
    [...node.references].flatMap(([{ column }, to]) =>
      column.field.required && typeof to === 'object' && to ? [to] : [],
    );
  const ranks = typesByReference(steps);
  const rankOf = ({ node }: ImportStep): number => ranks.get(node.item.record) ?? 0;
  const roots = [...steps]
    .sort((a, b) => Number(a.operation === 'Insert') - Number(b.operation === 'Insert') || rankOf(a) - rankOf(b))
    .map(({ node }) => node);
  for (const root of roots) {
    if (entered.has(root)) continue;
    entered.add(root);
    // Without recursion: a chain can be as long as the document.
    const open = [{ node: root, rest: needed(root) }];
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const next = top.rest.pop();
      if (!next) ordered.push(...open.splice(-1).map(({ node }) => node));
      else if (!entered.has(next)) {
        entered.add(next);
        open.push({ node: next, rest: needed(next) });
      }
    }
  }
  return ordered;
}

/**
 * Ranks record types so that targets of references come before the records that point to them, circles aside. The fewer
 * references wait, the more of its targets a record's checks can see.
 */
function typesByReference(steps: readonly ImportStep[]): ReadonlyMap<RecordType, number> {
  const targets = new Map<RecordType, Set<RecordType>>();
  for (const { node } of steps) {
    const own = targets.get(node.item.record) ?? new Set();
    targets.set(node.item.record, own);
    for (const to of node.references.values()) if (typeof to === 'object' && to) own.add(to.item.record);
  }
  const ranks = new Map<RecordType, number>();
  const entered = new Set<RecordType>();
  const enter = (record: RecordType): void => {
    if (entered.has(record)) return;
    entered.add(record);
    for (const target of targets.get(record) ?? []) enter(target);
    ranks.set(record, ranks.size);
  };
  for (const record of targets.keys()) enter(record);
  return ranks;
}

/**
 * Runs `run` and adds the document's line to a failure. An error that makes the transaction retry is rethrown
 * unchanged.
 */
async function withDocumentPosition<T>(ctx: Context, node: TransferNode, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (isRetryable(error)) throw error;
    const known =
      error instanceof PlatformError
        ? error
        : fromDatabaseError(error, (table, column) => ctx.registry.record(table)?.columns.get(column)?.name);
    throw known ? withLine(node.item.line, itemLabel(node.item), known) : error;
  }
}

function importResult({ node, operation, changes }: ImportStep): Record<string, unknown> {
  const { item } = node;
  const name = plainFields(item)[item.record.name] ?? node.row?.[item.record.name] ?? null;
  return {
    Object: item.record.name,
    ID: node.id ?? null,
    SubscriberID: item.identifier,
    Name: name,
    Operation: operation,
    FoundBy: node.foundBy ?? null,
    Fields: changes.map((c) => c.name).join(', ') || null,
    Line: item.line,
  };
}
