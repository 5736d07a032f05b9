import { CUSTOM_COLUMN } from '../../../../kernel/declare/custom-field.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { queueParameterFields } from '../../../../kernel/parameters/queue-parameters.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { pagingFields } from '../../../../kernel/records/search/search.ts';
import { isA, type Registry } from '../../../../kernel/declare/registry.ts';
import type { StoredCustomField } from './stored-custom-field.ts';

/** Reserved names: parameters of every call, columns of search results, and elements of every answer. */
const reserved = [
  'ID',
  'Template',
  'TemplateID',
  'SubscriberID',
  'Object',
  'ObjectID',
  'RecordClass',
  CUSTOM_COLUMN,
  'Output',
  'Callback',
  'Transform',
  'Alerts',
  'Version',
  'RecordCountIsEstimate',
  'NextCursor',
  ...Object.keys(pagingFields),
  ...Object.keys(queueParameterFields),
];

/**
 * Throws for a name that is ambiguous on a record type or on those derived from it. Only letters and digits are
 * allowed, which also makes it an XML name and keeps it out of the grammar of prefixes (`Contacts_0_FirstName`).
 */
export function assertFieldName(
  registry: Registry,
  record: RecordType,
  name: string,
  others: readonly StoredCustomField[],
): void {
  if (!/^[A-Za-z][A-Za-z0-9]{0,59}$/.test(name) || /^xml/i.test(name))
    throw bad('CustomField', 'a name of letters and digits, at most 60, that begins with a letter and not with "xml"');
  const lower = name.toLowerCase();
  // Properties that every JavaScript object has would look like fields that do not exist.
  if (Object.getOwnPropertyNames(Object.prototype).some((own) => own.toLowerCase() === lower))
    throw bad('CustomField', `another name: in programs, ${name} means something else`);
  for (const of of registry.family(record)) {
    const taken = existingMeaning(registry, of, lower);
    if (taken !== undefined)
      throw new PlatformError('DUPLICATE_KEY', {
        field: 'CustomField',
        message: `CustomField: ${name} is ${taken} of ${of.name}; choose another name.`,
      });
  }
  const other = others.find(
    (of) => of.CustomField.toLowerCase() === lower && isRelated(registry, record, of.AppliesTo),
  );
  if (other)
    throw new PlatformError('DUPLICATE_KEY', {
      field: 'CustomField',
      message:
        `CustomField: ${other.AppliesTo} has a custom field ${other.CustomField} ` +
        `already${other.IsActive === true ? '' : ', which is not active'}.`,
    });
}

/** Whether one type derives from the other: their fields are in one record. */
export function isRelated(registry: Registry, record: RecordType, name: string): boolean {
  const other = registry.record(name);
  return other !== undefined && (isA(record, other) || isA(other, record));
}

/** Returns what a name already means on a record type, custom fields excepted. */
function existingMeaning(registry: Registry, record: RecordType, lower: string): string | undefined {
  const column = record.columns.get(lower);
  if (column && !column.custom) return 'a column';
  if (
    reserved.some((name) => name.toLowerCase() === lower) ||
    lower === `${record.table}template` ||
    lower.endsWith('subscriberid')
  )
    return 'a reserved name';
  if (registry.collections(record).has(lower)) return 'a collection';
  if (record.columns.get(`${lower}id`)?.field.kind === 'id') return 'a linked record';
  // A summary shows the parent as `ParentLoan`.
  if (registry.records().some((of) => lower === `parent${of.table}`)) return 'the name of a parent';
  const operation = registry
    .operations()
    .find(
      (of) =>
        of.record?.name === record.name &&
        (of.free === 'fields' || of.free === 'filters') &&
        Object.keys(of.params).some((name) => name.toLowerCase() === lower),
    );
  return operation && `a parameter of ${operation.name}`;
}
