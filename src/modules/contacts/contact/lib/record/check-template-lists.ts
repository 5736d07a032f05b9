import type { Context } from '../../../../../kernel/door/context.ts';
import { inlineHint } from '../../../../../kernel/door/errors.ts';
import { fold } from '../../../../../kernel/parameters/fold.ts';
import { splitCommaList } from '../../../../../kernel/parameters/split-list.ts';
import { bad } from '../../../../../kernel/parameters/parse-value.ts';
import { contact } from '../../contact.record.ts';
import { readColumns } from '../../../../../kernel/records/search/read.ts';
import { valueAfter, type Values } from '../../../../../kernel/declare/values.ts';

/**
 * Returns a value in the spelling of its list. An empty value is always allowed, and an empty list allows everything.
 * @throws BAD_PARAMETER that names the allowed values
 */
function canonicalValue(
  value: string | null | undefined,
  list: readonly string[],
  field: string,
  template: string,
): string | null {
  if (typeof value !== 'string' || list.length === 0) return value ?? null;
  const found = list.find((known) => fold(known) === fold(value));
  if (found !== undefined) return found;
  throw bad(
    field,
    `one of ${list.join(', ')}, which the contact template ${template} allows${inlineHint(value, list)}`,
  );
}

interface TemplateLists {
  readonly name: string;
  readonly statuses: string | null;
  readonly types: string | null;
}

const listedColumns = ['ContactTemplateID', 'Status', 'ContactType'] as const;

/**
 * Checks a contact's status and type against its template's lists if any of the three changes, and stores the lists'
 * spelling.
 */
export async function checkTemplateLists(
  ctx: Context,
  values: Values<typeof contact>,
  id: number | undefined,
): Promise<void> {
  if (!listedColumns.some((name) => values[name] !== undefined)) return;
  const stored = id === undefined ? undefined : await readColumns(ctx.db, contact, id, listedColumns);
  const templateId = valueAfter(values, stored, 'ContactTemplateID');
  if (typeof templateId !== 'number') return;
  const [lists] = await ctx.db.query<TemplateLists>(
    `select contacttemplate as name, customstatuslist as statuses, customtypelist as types
     from contacttemplate
     where contacttemplateid = $1::bigint`,
    [templateId],
  );
  if (!lists) return;
  const changesTemplate = values.ContactTemplateID !== undefined;
  const check = (name: 'Status' | 'ContactType', list: string | null): void => {
    const allowed = splitCommaList(list ?? '');
    if (values[name] !== undefined) values[name] = canonicalValue(values[name], allowed, name, lists.name);
    // Stored values are checked again if the template changes.
    else if (changesTemplate) canonicalValue(stored?.[name], allowed, name, lists.name);
  };
  check('Status', lists.statuses);
  check('ContactType', lists.types);
}
