import type { Context } from '../../../../kernel/door/context.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { concreteTypeOf } from '../../../../kernel/records/save/concrete-type.ts';

/** The types of records that people follow. */
const followableTypes = ['Foreclosure', 'Bankruptcy', 'Loan'] as const;

/** Returns the concrete type of a record that is to be followed. @throws BAD_PARAMETER for a type that cannot be */
export async function followableType(ctx: Context, object: string, id: number): Promise<string> {
  const record = await concreteTypeOf(ctx, ctx.registry.requireRecord(object, 'Object'), id);
  const known: readonly string[] = followableTypes;
  if (!known.includes(record.name)) throw bad('Object', `one of ${known.join(', ')}`);
  return record.name;
}
