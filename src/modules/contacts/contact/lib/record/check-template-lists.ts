import type { Context } from '../../../../../kernel/door/context.ts';
import { nearest } from '../../../../../kernel/door/errors.ts';
import { fold } from '../../../../../kernel/parameters/fold.ts';
import { splitCommaList } from '../../../../../kernel/parameters/split-list.ts';
import { bad } from '../../../../../kernel/parameters/parse-value.ts';

/**
 * Returns a value in the spelling of its list. An empty value is always allowed, and an empty list allows everything.
 * @throws BAD_PARAMETER that names the allowed values
 */
function canonicalValue(value: unknown, list: readonly string[], field: string, template: string): unknown {
  if (typeof value !== 'string' || list.length === 0) return value;
  const found = list.find((known) => fold(known) === fold(value));
  if (found !== undefined) return found;
  const near = nearest(value, list, 1);
  throw bad(
    field,
    `one of ${list.join(', ')}, as the contact template ${template} ` +
      `says${near.length > 0 ? `; the nearest is ${near[0]}` : ''}`,
  );
}

interface StoredContact {
  readonly contacttemplateid: number | null;
  readonly status: string | null;
  readonly contacttype: string | null;
}

interface TemplateLists {
  readonly name: string;
  readonly statuses: string | null;
  readonly types: string | null;
}

/**
 * Checks a contact's status and type against its template's lists if any of the three changes, and stores the lists'
 * spelling.
 */
export async function checkTemplateLists(
  ctx: Context,
  values: Map<string, unknown>,
  id: number | undefined,
): Promise<void> {
  if (!['contacttemplateid', 'status', 'contacttype'].some((name) => values.has(name))) return;
  const [stored] =
    id === undefined
      ? []
      : await ctx.db.query<StoredContact & Record<string, unknown>>(
          'select contacttemplateid, status, contacttype from contact where contactid = $1::bigint',
          [id],
        );
  const templateId = values.has('contacttemplateid') ? values.get('contacttemplateid') : stored?.contacttemplateid;
  if (typeof templateId !== 'number') return;
  const [lists] = await ctx.db.query<TemplateLists & Record<string, unknown>>(
    `select contacttemplate as name, customstatuslist as statuses, customtypelist as types
     from contacttemplate
     where contacttemplateid = $1::bigint`,
    [templateId],
  );
  if (!lists) return;
  const changesTemplate = values.has('contacttemplateid');
  const check = (name: 'status' | 'contacttype', field: string, list: string | null): void => {
    if (values.has(name))
      values.set(name, canonicalValue(values.get(name), splitCommaList(list ?? ''), field, lists.name));
    // Stored values are checked again if the template changes.
    else if (changesTemplate) canonicalValue(stored?.[name], splitCommaList(list ?? ''), field, lists.name);
  };
  check('status', 'Status', lists.statuses);
  check('contacttype', 'ContactType', lists.types);
}
