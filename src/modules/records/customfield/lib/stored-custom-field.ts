import type { CustomField } from '../../../../kernel/declare/custom-field.ts';
import type { Field, FieldKind } from '../../../../kernel/declare/field-types.ts';
import { requireColumn } from '../../../../kernel/declare/values.ts';
import { columnList } from '../../../../kernel/database/sql.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import { customField } from '../customfield.record.ts';
import { TEXT_DEFAULT } from './custom-field-limits.ts';

const storedColumns = [
  'CustomFieldID',
  'CustomField',
  'AppliesTo',
  'Label',
  'Kind',
  'Max',
  'Values',
  'Required',
  'Classification',
  'Description',
  'IsActive',
  'IsIndexed',
  'StoredName',
] as const;

/** A custom field as it is stored. Its name and the name of its values are never empty. */
export type StoredCustomField = Pick<Row<typeof customField>, (typeof storedColumns)[number]> & {
  readonly CustomField: string;
  readonly StoredName: string;
};

/** The kind of a custom field's values, from its record. */
type CustomFieldKind = StoredCustomField['Kind'];

const kinds: Readonly<Record<CustomFieldKind, FieldKind>> = {
  Text: 'text',
  Choice: 'text',
  Integer: 'integer',
  Decimal: 'decimal',
  Money: 'money',
  Date: 'date',
  Timestamp: 'timestamp',
  Boolean: 'boolean',
};

/** Reads all custom fields, including inactive ones, oldest first. */
export function readCustomFields(db: Db): Promise<StoredCustomField[]> {
  const columns = columnList(storedColumns.map((name) => requireColumn(customField, name)));
  return db.query<StoredCustomField>(`select ${columns} from customfield order by customfieldid`);
}

/** Returns the words of a choice: one per line, ignoring empty lines. */
export function choiceValues(values: string | null): readonly string[] {
  // A single line is split at commas, as in other lists.
  const text = (values ?? '').trim();
  return text
    .split(/[\r\n]/.test(text) ? /\r?\n/ : ',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function maxLength({ Kind, Max }: StoredCustomField, words: readonly string[]): number | undefined {
  if (Kind === 'Text') return Max ?? TEXT_DEFAULT;
  return Kind === 'Choice' ? Math.max(0, ...words.map((word) => word.length)) : undefined;
}

/** Returns a stored field as the kernel's declaration. */
export function toCustomField(of: StoredCustomField): CustomField {
  const { Label: label, Kind: kind, Description: description, Classification: classification } = of;
  const words = choiceValues(of.Values);
  const max = maxLength(of, words);
  const field: Field = {
    kind: kinds[kind],
    classification: classification === 'Personal' ? 'personal' : 'public',
    doc: description ?? `${label ?? of.CustomField}.`,
    ...(max === undefined ? {} : { max }),
    ...(kind === 'Choice' ? { values: words } : {}),
    ...(label === null ? {} : { label }),
    ...(of.Required === true ? { required: true } : {}),
  };
  return { id: of.CustomFieldID, name: of.CustomField, appliesTo: of.AppliesTo, member: of.StoredName, field };
}
