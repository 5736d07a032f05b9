import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { f, required } from '../../../../kernel/declare/field.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { cursorText } from './parse-page.ts';
import type { TimelineEntry } from './read-timeline.ts';

/** The fields of an entry. A change of several fields has a row for each, with the same cursor. */
export const entryFields = {
  Cursor: required(f.text({ doc: 'Identifies the entry; send that of the last one as Before for the next page.' })),
  At: required(f.timestamp({ doc: 'When it happened.' })),
  Kind: required(f.text({ doc: 'Note, Mail, Document, Step, Task, Hold, Event, Import or Change.' })),
  Action: required(f.text({ doc: 'What happened: Added, Completed, Canceled, Failed, Placed, Released, Changed …' })),
  Object: required(f.text({ doc: 'The record type of the entry.' })),
  ObjectID: required(f.id({ doc: 'The record.' })),
  Title: f.text({ doc: "The record's name or subject." }),
  Text: f.text({ doc: 'Its text, cut off after 2,000 characters.' }),
  Detail: f.text({
    doc:
      'Of a document its bytes, of a step its result, of received mail its sender, of sent mail or an import its ' +
      'status.',
  }),
  PersonID: f.id({ doc: 'Who did it.' }),
  Person: f.text({ doc: 'The name, if the caller can see the user.' }),
  IsAutomatic: required(f.boolean({ doc: 'Whether the platform did it by itself.' })),
  CallID: f.text({ doc: 'Of a change: the call that made it, which rollback takes back.' }),
  Field: f.text({ doc: 'Of a change: the field.' }),
  OldValue: f.text({ doc: 'What it was.' }),
  NewValue: f.text({ doc: 'What it became.' }),
};

/** A row of {@link entryFields}. */
interface EntryRow {
  readonly Cursor: string;
  readonly At: string;
  readonly Kind: string;
  readonly Action: string;
  readonly Object: string;
  readonly ObjectID: number;
  readonly Title: string | null;
  readonly Text: string | null;
  readonly Detail: string | null;
  readonly PersonID: number | null;
  readonly Person: string | null;
  readonly IsAutomatic: boolean;
  readonly CallID?: string | null;
  readonly Field?: string | null;
  readonly OldValue?: string | null;
  readonly NewValue?: string | null;
}

/** Returns entries as rows, with the names of the users. */
export async function entryRows(ctx: Context, entries: readonly TimelineEntry[]): Promise<readonly EntryRow[]> {
  const ids = [...new Set(entries.flatMap(({ personId }) => personId ?? []))];
  const persons = await ctx.db.query<{ id: number; name: string | null }>(
    `select personid as id, coalesce(nullif(trim(concat_ws(' ', firstname, lastname)), ''), person) as name
     from person
     where personid = any($1::bigint[])`,
    [arrayLiteral(ids)],
  );
  const names = new Map(persons.map(({ id, name }) => [id, name]));
  const builtin = new Set([await ctx.builtinPersonId('System'), await ctx.builtinPersonId('Workflow')]);
  return entries.flatMap((entry): readonly EntryRow[] => {
    const { at, kind, action, object, id, title, body, detail, personId, fields } = entry;
    const row = {
      Cursor: cursorText(entry),
      At: at,
      Kind: kind,
      Action: action,
      Object: object,
      ObjectID: id,
      Title: title,
      Text: body,
      Detail: detail,
      PersonID: personId,
      Person: personId === null ? null : (names.get(personId) ?? null),
      IsAutomatic: isAutomatic(entry, builtin),
    };
    return fields.length === 0
      ? [row]
      : fields.map(({ CallID, Field, OldValue, NewValue }) => ({
          ...row,
          CallID,
          Field: Field ?? null,
          OldValue: OldValue ?? null,
          NewValue: NewValue ?? null,
        }));
  });
}

/** Whether the platform did it automatically. Received mail was written by a person, although no user stored it. */
function isAutomatic({ kind, action, personId }: TimelineEntry, builtin: ReadonlySet<number | undefined>): boolean {
  if (kind === 'Mail' && action === 'Received') return false;
  return personId === null || builtin.has(personId) || kind === 'Event' || kind === 'Import';
}
