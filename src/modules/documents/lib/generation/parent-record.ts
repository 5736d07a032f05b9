import type { Context } from '../../../../kernel/door/context.ts';
import { concreteClass } from '../../../../kernel/records/search/read.ts';
import type { DocumentParent } from './document-data.ts';

/** Returns the record that a call names by type and id; undefined if it names none. */
export async function parentRecord(
  ctx: Context,
  className: string | null | undefined,
  id: number | null | undefined,
): Promise<DocumentParent | undefined> {
  if (typeof className !== 'string' || typeof id !== 'number') return undefined;
  return { record: await concreteClass(ctx, ctx.db, ctx.registry.requireRecord(className, 'Object'), id), id };
}
