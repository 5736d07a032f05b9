import type { Context } from '../../../../kernel/door/context.ts';
import { findTemplate, templateById } from '../../../../kernel/records/save/template.ts';
import { messageTemplate } from '../../messagetemplate/messagetemplate.record.ts';

/**
 * Returns the ID of a message template that parameters name by its ID or name; undefined if they name none.
 * @param field The parameter with the name; the one with the ID ends in `ID`
 * @throws BAD_PARAMETER that lists the nearest names
 */
export async function templateOf(
  ctx: Context,
  field: string,
  name: string | null | undefined,
  id: number | null | undefined,
): Promise<number | undefined> {
  if (typeof id === 'number') return (await templateById(ctx, messageTemplate, id, `${field}ID`)).id;
  if (typeof name !== 'string' || name.trim() === '') return undefined;
  return (await findTemplate(ctx, messageTemplate, { name: name.trim(), parentClass: undefined, field })).id;
}
