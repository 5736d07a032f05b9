import type { DataShape } from '../../../../contracts/generator.ts';
import { shapeOf, type Shape } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { Field } from '../../../../kernel/declare/field-types.ts';
import type { Operation } from '../../../../kernel/declare/operation.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import { parseSignature } from '../../../../kernel/door/signature.ts';
import type { DocumentType } from './document-type.ts';

/**
 * Returns the fields that the data of a document type will have; undefined if they are not known before they are read:
 * its Method returns a tree, or it has neither a Method nor a record type.
 */
export async function dataShape(
  ctx: Context,
  { method, appliesTo }: Pick<DocumentType, 'method' | 'appliesTo'>,
): Promise<DataShape | undefined> {
  if (method === '') {
    const record = appliesTo === null ? undefined : ctx.registry.record(appliesTo);
    return record && recordShape(ctx.registry, record);
  }
  const [module = '', ...path] = parseSignature(method, { field: 'Method' }).route.toLowerCase().split('/');
  const operation = await ctx.findOperation(module, path.join('/'));
  return operation && answerShape(operation);
}

/** Returns the fields of an operation's answer; undefined for a tree. */
function answerShape({ returns, rows, record, answerName }: Operation): DataShape | undefined {
  if (typeof returns === 'object') return itemShape(fieldsOf(returns));
  if (returns !== 'list' && returns !== 'item') return undefined;
  const row = rows ? itemShape(fieldsOf(rows)) : record && itemShape(shapeOf(record));
  if (!row || returns === 'item') return row;
  const name = answerName ?? record?.name ?? 'Row';
  return { fields: [], links: new Map(), lists: new Map([[`${name}Collection`, () => row]]) };
}

/** Returns the fields of a record's summary. */
function recordShape(registry: Registry, record: RecordType): DataShape {
  const links = new Map<string, () => DataShape>();
  for (const { name, field } of shapeOf(record)) {
    const target = field.to === undefined || field.computed ? undefined : registry.record(field.to);
    if (target) links.set(name.slice(0, -2), () => recordShape(registry, target));
  }
  // Of a record below others, the parent's type is known only at run time.
  if (record.parent !== undefined)
    for (const parent of registry.records()) links.set(`Parent${parent.name}`, () => recordShape(registry, parent));
  const lists = new Map<string, () => DataShape>();
  for (const { name, record: childName } of registry.collections(record).values()) {
    const child = registry.record(childName);
    if (child && child.inSummary !== false) lists.set(name, () => recordShape(registry, child));
  }
  return { fields: shapeOf(record), links, lists };
}

function itemShape(fields: Shape): DataShape {
  return { fields, links: new Map(), lists: new Map() };
}

function fieldsOf(declared: Readonly<Record<string, Field>>): Shape {
  return Object.entries(declared).map(([name, field]) => ({ name, field }));
}
