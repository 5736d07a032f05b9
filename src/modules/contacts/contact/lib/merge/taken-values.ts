import type { Row } from '../../../../../kernel/door/answer.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { Column, RecordType } from '../../../../../kernel/declare/record.ts';
import type { Values } from '../../../../../kernel/declare/values.ts';
import { bad } from '../../../../../kernel/parameters/parse-value.ts';
import type { contact } from '../../contact.record.ts';

/** A contact of a merge. */
export interface MergingContact {
  readonly row: Row<typeof contact>;
  /** The firms that can see it, as a text to compare. */
  readonly firms: string;
  /** The Social Security number in the clear. */
  readonly number: string | null;
}

/** Columns that stay as they are: what a contact is to other records follows from the merge itself. */
const untouched: ReadonlySet<string> = new Set(['Object', 'ObjectID', 'ParentContactID', 'Version']);

/** Columns that belong together: taken only if the contact has none of them. */
const groups: readonly ReadonlySet<string>[] = [
  new Set([
    'Address',
    'City',
    'State',
    'PostalCode',
    'Country',
    'Latitude',
    'Longitude',
    'VerifiedSource',
    'VerifiedDate',
  ]),
  new Set([
    'SCRAStatus',
    'SCRASource',
    'SCRAStatusAsOf',
    'SCRAActiveDutyStartDate',
    'SCRAActiveDutyEndDate',
    'SCRAServiceComponentCode',
    'SCRAMessage',
  ]),
];

/**
 * Throws STATE_REFUSES, naming the fields in which they differ, unless two contacts may be one: they are people rather
 * than firms, are visible to the same firms, belong to the same record, and have the same role and Social Security
 * number as far as both have one. A field of `fields` may differ.
 */
export function assertMergeable(from: MergingContact, to: MergingContact, fields: readonly string[]): void {
  const [a, b] = [from.row, to.row];
  const isFamily = [
    [a, b],
    [b, a],
  ].some(([child, parent]) => child?.Object === 'Contact' && child.ObjectID === parent?.ContactID);
  const isAlias = a.ParentContactID === b.ContactID || b.ParentContactID === a.ContactID;
  const chosen = new Set(fields.map((name) => name.toLowerCase()));
  const differs = (x: unknown, y: unknown): boolean => x !== null && y !== null && x !== y;
  const refusals: readonly (readonly [boolean, string, string])[] = [
    [a.RecordClass !== 'Contact' || b.RecordClass !== 'Contact', 'RecordClass', 'firms are not merged'],
    [
      !isFamily && (differs(a.Object, b.Object) || differs(a.ObjectID, b.ObjectID)),
      'ObjectID',
      'they belong to different records; move one of them first',
    ],
    [
      !isAlias && differs(a.ParentContactID, b.ParentContactID),
      'ParentContactID',
      'they are aliases of different contacts',
    ],
    [
      !chosen.has('contacttemplateid') && differs(a.ContactTemplateID, b.ContactTemplateID),
      'ContactTemplateID',
      'they have different roles',
    ],
    [!chosen.has('usssn') && differs(from.number, to.number), 'USSSN', 'they have different Social Security numbers'],
    [from.firms !== to.firms, 'OrganizationID', 'they are visible to different firms'],
  ];
  const refused = refusals.filter(([isRefused]) => isRefused);
  if (refused.length === 0) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'MergedContactID',
    message:
      `MergedContactID: contacts ${a.ContactID} and ${b.ContactID} cannot become one: ` +
      `${refused.map(([, name, reason]) => `${reason} (${name})`).join('; ')}.`,
    details: { Fields: refused.map(([, name]) => name) },
  });
}

/** The two contacts of a merge, and the fields in which the merged one's values win. */
interface Taking {
  readonly from: MergingContact;
  readonly to: MergingContact;
  readonly fields: readonly string[];
}

/**
 * Returns the values that the contact takes from the merged one: those of `fields`, and those that it does not have. Of
 * an address, or a military status, it takes all or nothing. An empty value is never taken.
 *
 * @throws BAD_PARAMETER for an unknown field
 */
export function takenValues(record: RecordType, { from, to, fields }: Taking): Values<typeof contact> {
  const columns = [...record.valueColumns.values()].filter(isTakeable);
  const chosen = new Set(fields.map((name) => chosenName(columns, name)));
  const has = ({ row }: MergingContact, name: string): boolean =>
    ((row as Readonly<Record<string, unknown>>)[name] ?? null) !== null;
  const lacks = ({ name }: Column): boolean => {
    const group = groups.find((names) => names.has(name)) ?? [name];
    return [...group].every((each) => !has(to, each));
  };
  const taken = columns.filter((column) => has(from, column.name) && (chosen.has(column.name) || lacks(column)));
  const values: Record<string, unknown> = Object.fromEntries(
    taken.map(({ name, field }) => [
      name,
      field.kind === 'ssn' ? from.number : (from.row as Readonly<Record<string, unknown>>)[name],
    ]),
  );
  const isChild = from.row.Object === 'Contact' && from.row.ObjectID === to.row.ContactID;
  if (to.row.Object === null && from.row.Object !== null && !isChild)
    Object.assign(values, { Object: from.row.Object, ObjectID: from.row.ObjectID });
  return values;
}

function isTakeable({ name, field, read }: Column): boolean {
  return field.computed !== true && read !== null && !untouched.has(name);
}

function chosenName(columns: readonly Column[], sent: string): string {
  const column = columns.find(({ name }) => name.toLowerCase() === sent.toLowerCase());
  if (!column) throw bad('Fields', `names of fields of a contact (${columns.map(({ name }) => name).join(', ')})`);
  return column.name;
}
