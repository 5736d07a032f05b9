import type { RecordType } from '../../../kernel/declare/record.ts';
import { recordId } from '../../../kernel/door/answer.ts';
import { html } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordLabel, recordTypeFromPath } from '../record-address.ts';

/** A record that a text may mean. */
export interface RecordChoice {
  readonly id: number;
  readonly label: string;
}

/** Fewest and most characters that are searched. */
const CHARACTERS = { min: 2, max: 200 } as const;
/** Most records that are offered. */
const CHOICES_MAX = 10;

/**
 * Returns the records of a type that a text may mean: by their label or number, and by the names of their borrowers and
 * other people. None if the user may not search for them.
 */
export async function recordChoices(
  call: PageCall,
  record: RecordType,
  text: string,
): Promise<readonly RecordChoice[]> {
  const sought = text.trim().slice(0, CHARACTERS.max);
  if (sought.length < CHARACTERS.min || !call.mayOf(record, 'search')) return [];
  const found = await findChoices(call, record, sought);
  return [...new Map(found.map((each) => [each.id, each])).values()].slice(0, CHOICES_MAX);
}

function findChoices(call: PageCall, record: RecordType, text: string): Promise<readonly RecordChoice[]> {
  if (record.name === 'Person') return userChoices(call, text);
  return isCaseType(call, record) ? caseChoices(call, record, text) : choicesOf(call, record, text);
}

/** Whether records of a type are cases, or may be. */
function isCaseType({ platform: { registry } }: PageCall, record: RecordType): boolean {
  return record.root === registry.recordType('Process').root;
}

async function caseChoices(call: PageCall, record: RecordType, text: string): Promise<readonly RecordChoice[]> {
  if (!call.may('palette/search')) return choicesOf(call, record, text);
  const names = new Set(call.platform.registry.family(record).map(({ name }) => name));
  const { answer } = await call.call('palette/search', { Text: text, DisplaySize: CHOICES_MAX });
  return answer.rows.flatMap((row) =>
    names.has(row.Object)
      ? [{ id: row.ObjectID, label: [row.Label, row.CaseNumber, row.Detail].filter(Boolean).join(' · ') }]
      : [],
  );
}

/** Returns users by the beginning of their first, last or sign-in name. */
async function userChoices(call: PageCall, text: string): Promise<readonly RecordChoice[]> {
  const [first = '', ...others] = text
    .replaceAll(/[*%_\\]/g, ' ')
    .trim()
    .split(/\s+/);
  if (first === '') return [];
  const last = others.join(' ');
  const filters: Record<string, string>[] =
    last === ''
      ? [{ LastName: `${first}*` }, { FirstName: `${first}*` }, { Person: `${first}*` }]
      : [{ FirstName: `${first}*`, LastName: `${last}*` }];
  const found = await Promise.all(
    filters.map((filter) =>
      call.call('person/search', {
        ...filter,
        OrderBy: 'Person',
        SqlColumns: 'PersonID,Person,FirstName,LastName',
        RecordCount: 'false',
        DisplaySize: CHOICES_MAX,
      }),
    ),
  );
  return found
    .flatMap(({ answer }) => answer.rows)
    .map(({ PersonID: id, Person: signIn, FirstName: given, LastName: family }) => ({
      id,
      label: [[given, family].filter(Boolean).join(' '), signIn].filter(Boolean).join(' · '),
    }));
}

async function choicesOf(call: PageCall, record: RecordType, text: string): Promise<readonly RecordChoice[]> {
  if (!call.may('record/find')) return [];
  const { registry } = call.platform;
  const contacts = registry.recordType('Contact');
  const objects = record.name === contacts.name ? [record.name] : [record.name, contacts.name];
  const { answer } = await call.call('record/find', {
    Text: text,
    Objects: objects.join(','),
    DisplaySize: CHOICES_MAX,
  });
  const names = new Set(registry.family(record).map(({ name }) => name));
  return answer.rows.flatMap((row) => {
    if (names.has(row.Object)) return [{ id: row.ObjectID, label: row.Label ?? `${record.title} ${row.ObjectID}` }];
    const isParent = row.Parent !== null && names.has(row.Parent) && typeof row.ParentID === 'number';
    return isParent ? [{ id: row.ParentID, label: `${row.Label ?? ''} · ${record.title} ${row.ParentID}` }] : [];
  });
}

/** Returns the first records of a type, where these are configuration and therefore few. */
async function firstChoices(call: PageCall, record: RecordType): Promise<readonly RecordChoice[]> {
  if (record.reach !== 'configuration' || !call.mayOf(record, 'search')) return [];
  const { answer } = await call.callOf(record, 'search', {
    OrderBy: record.name,
    DisplaySize: CHOICES_MAX,
    RecordCount: 'false',
  });
  return answer.rows.map((row) => ({ id: recordId(record, row), label: recordLabel(record, row) }));
}

/** Answers what is typed into a field for a record with options. The text is posted: it may be a person's name. */
export const recordChoicesPage = page(async (call) => {
  const [record, text] = [recordTypeFromPath(call), plainText(call.form['Text']).trim()];
  const choices = text === '' ? await firstChoices(call, record) : await recordChoices(call, record, text);
  return { fragment: html`${choices.map(({ id, label }) => html`<option value="${id}">${label}</option>`)}` };
});
