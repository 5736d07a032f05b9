import type { CustomField } from '../../../../kernel/declare/custom-field.ts';
import type { Field, FieldKind } from '../../../../kernel/declare/field-types.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { TEXT_DEFAULT } from './custom-field-limits.ts';

/** The kind of a custom field's values, from its record. */
export type CustomFieldKind = 'Text' | 'Choice' | 'Integer' | 'Decimal' | 'Money' | 'Date' | 'Timestamp' | 'Boolean';

/** A custom field as it is stored. */
export interface StoredCustomField {
  readonly customfieldid: number;
  readonly customfield: string;
  readonly appliesto: string;
  readonly label: string | null;
  readonly kind: CustomFieldKind;
  readonly max: number | null;
  readonly values: string | null;
  readonly required: boolean | null;
  readonly classification: string | null;
  readonly description: string | null;
  readonly isactive: boolean | null;
  readonly isindexed: boolean | null;
  readonly storedname: string;
}

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
  return db.query<StoredCustomField>(
    `select customfieldid, customfield, appliesto, label, kind, max, "values", required, classification, description,
       isactive, isindexed, storedname
     from customfield
     order by customfieldid`,
  );
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

function maxLength({ kind, max }: StoredCustomField, words: readonly string[]): number | undefined {
  if (kind === 'Text') return max ?? TEXT_DEFAULT;
  return kind === 'Choice' ? Math.max(0, ...words.map((word) => word.length)) : undefined;
}

/** Returns a stored field as the kernel's declaration. */
export function toCustomField(of: StoredCustomField): CustomField {
  const { label, kind, description, classification } = of;
  const words = choiceValues(of.values);
  const max = maxLength(of, words);
  const field: Field = {
    kind: kinds[kind],
    classification: classification === 'Personal' ? 'personal' : 'public',
    doc: description ?? `${label ?? of.customfield}.`,
    ...(max === undefined ? {} : { max }),
    ...(kind === 'Choice' ? { values: words } : {}),
    ...(label === null ? {} : { label }),
    ...(of.required === true ? { required: true } : {}),
  };
  return { id: of.customfieldid, name: of.customfield, appliesTo: of.appliesto, member: of.storedname, field };
}
