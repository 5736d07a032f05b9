import type { Context } from '../../../../kernel/door/context.ts';
import { allowsCustomFields } from '../../../../kernel/declare/custom-field.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { lockConfiguration } from '../../../../kernel/records/transfer/transfer.ts';
import { readCustomFields, choiceValues, type StoredCustomField } from './stored-custom-field.ts';
import {
  FIELDS_MAX,
  INDEXED_TEXT_MAX,
  INDEXES_MAX,
  TEXT_DEFAULT,
  TEXT_MAX,
  VALUE_CHARACTERS_MAX,
  VALUES_MAX,
} from './custom-field-limits.ts';
import { assertFieldName, isRelated } from './field-name.ts';
import { countStoredValues, countMisfittingValues } from './stored-values.ts';
import type { customField } from '../customfield.record.ts';
import type { Values } from '../../../../kernel/declare/values.ts';

/**
 * Checks a custom field as it would be stored, against other fields and the values of records. Configuration changes
 * are serialized: otherwise two fields of one name created concurrently would not see each other.
 */
export async function checkCustomField(
  ctx: Context,
  values: Values<typeof customField>,
  id: number | undefined,
): Promise<void> {
  await lockConfiguration(ctx);
  const all = await readCustomFields(ctx.db);
  const before = all.find((of) => of.CustomFieldID === id);
  const others = all.filter((of) => of.CustomFieldID !== id);
  const next = fieldAfter(values, before);
  const record = requireFieldRecord(ctx, next, before);
  // In the declared spelling.
  if (values.AppliesTo !== undefined) values.AppliesTo = record.name;
  if (before?.CustomField !== next.CustomField) assertFieldName(ctx.registry, record, next.CustomField, others);
  assertShape(next);
  assertRoom(ctx, record, next, others);
  await (before ? checkChange(ctx, record, before, next) : checkNew(ctx, record, { next, others }, values));
  await assertIndexGone(ctx, record, next);
}

/** Returns the field as it would be stored: submitted values over stored ones, with the defaults of a new field. */
function fieldAfter(values: Values<typeof customField>, before: StoredCustomField | undefined): StoredCustomField {
  const of = <N extends keyof StoredCustomField>(name: N, otherwise: StoredCustomField[N] | null) =>
    (name in values ? values[name] : (before?.[name] ?? otherwise)) ?? null;
  const [name, kind] = [of('CustomField', null), of('Kind', null)];
  if (name === null || name === '')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'CustomField',
      message: 'CustomField is required: the name of the field.',
    });
  if (kind === null)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Kind',
      message: 'Kind is required: what the values of the field are.',
    });
  return {
    CustomFieldID: before?.CustomFieldID ?? 0,
    CustomField: name,
    Kind: kind,
    AppliesTo: of('AppliesTo', null) ?? '',
    Label: of('Label', null),
    Max: of('Max', null),
    Values: of('Values', null),
    Required: of('Required', false),
    Classification: of('Classification', 'Public'),
    Description: of('Description', null),
    IsActive: of('IsActive', true),
    IsIndexed: of('IsIndexed', false),
    StoredName: before?.StoredName ?? name,
  };
}

function requireFieldRecord(
  ctx: Context,
  { AppliesTo: appliesTo }: StoredCustomField,
  before: StoredCustomField | undefined,
): RecordType {
  if (appliesTo === '')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'AppliesTo',
      message: 'AppliesTo is required: the record type that gets the field.',
    });
  const record = ctx.registry.requireRecord(appliesTo, 'AppliesTo');
  if (!allowsCustomFields(record)) {
    const known = ctx.registry
      .records()
      .filter(allowsCustomFields)
      .map((of) => of.name)
      .sort();
    throw bad(
      'AppliesTo',
      `a record type that can have custom fields (${known.join(', ')}); ${record.name} is configuration or a log`,
    );
  }
  if (before && before.AppliesTo.toLowerCase() !== record.table)
    throw new PlatformError('STATE_REFUSES', {
      field: 'AppliesTo',
      message:
        `AppliesTo: the field belongs to ${before.AppliesTo}, with the values stored there; create another one ` +
        `for ${record.name}.`,
    });
  return record;
}

function assertShape({ Kind: kind, Max: max, Values: values, IsIndexed: isIndexed }: StoredCustomField): void {
  if (max !== null && kind !== 'Text') throw bad('Max', 'no value: only a Text has a maximum length');
  if (max !== null && (max < 1 || max > TEXT_MAX)) throw bad('Max', `a number of characters between 1 and ${TEXT_MAX}`);
  if (isIndexed === true && (max ?? TEXT_DEFAULT) > INDEXED_TEXT_MAX)
    throw bad('IsIndexed', `false, or a Max of at most ${INDEXED_TEXT_MAX}: a longer text cannot be indexed`);
  const words = choiceValues(values);
  if (kind !== 'Choice') {
    if (words.length > 0) throw bad('Values', 'no value: only a Choice has a list of options');
    return;
  }
  if (words.length === 0)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Values',
      message: 'Values is required for a Choice: its options, one per line.',
    });
  if (words.length > VALUES_MAX || words.some((word) => Array.from(word).length > VALUE_CHARACTERS_MAX))
    throw bad('Values', `at most ${VALUES_MAX} words of at most ${VALUE_CHARACTERS_MAX} characters`);
  if (new Set(words.map((word) => word.toLowerCase())).size < words.length)
    throw bad('Values', 'each option once, ignoring case');
}

function assertRoom(
  ctx: Context,
  record: RecordType,
  next: StoredCustomField,
  others: readonly StoredCustomField[],
): void {
  const related = others.filter((of) => isRelated(ctx.registry, record, of.AppliesTo));
  if (related.length >= FIELDS_MAX)
    throw new PlatformError('STATE_REFUSES', {
      field: 'AppliesTo',
      message: `AppliesTo: ${record.name} has ${FIELDS_MAX} custom fields, the most that a record type can have.`,
    });
  const indexed = others.filter(
    (of) => of.IsIndexed === true && ctx.registry.record(of.AppliesTo)?.root.table === record.root.table,
  );
  if (next.IsIndexed === true && indexed.length >= INDEXES_MAX)
    throw new PlatformError('STATE_REFUSES', {
      field: 'IsIndexed',
      message:
        `IsIndexed: ${INDEXES_MAX} custom fields of ${record.root.name} are indexed, which is the ` +
        `most: ${indexed.map((of) => of.CustomField).join(', ')}.`,
    });
}

/** Warns if a new field takes over the values that an earlier field of its name has left. Throws if they do not fit. */
async function checkNew(
  ctx: Context,
  record: RecordType,
  { next, others }: { readonly next: StoredCustomField; readonly others: readonly StoredCustomField[] },
  values: Values<typeof customField>,
): Promise<void> {
  const holder = others.find(
    (of) =>
      of.StoredName.toLowerCase() === next.StoredName.toLowerCase() && isRelated(ctx.registry, record, of.AppliesTo),
  );
  if (holder)
    throw new PlatformError('DUPLICATE_KEY', {
      field: 'CustomField',
      message:
        `CustomField: the values of ${holder.CustomField}, which was created as ${holder.StoredName}, are stored ` +
        'under this name; choose another one.',
    });
  values.StoredName = next.StoredName;
  await assertFits(ctx, record, next);
  const held = await countStoredValues(ctx.db, ctx.registry, record, next.StoredName);
  if (held !== undefined)
    ctx.alert({
      code: 'VALUES_KEPT',
      text:
        `${held} ${record.name} records have values of an earlier field ${next.StoredName}; these are shown ` +
        'again.',
    });
}

async function checkChange(
  ctx: Context,
  record: RecordType,
  before: StoredCustomField,
  next: StoredCustomField,
): Promise<void> {
  const isNarrower = before.Kind !== next.Kind || before.Max !== next.Max || before.Values !== next.Values;
  if (isNarrower) await assertFits(ctx, record, next);
  const isRenamed = before.CustomField !== next.CustomField;
  const isHidden = before.IsActive === true && next.IsActive !== true;
  if (!isRenamed && !isHidden) return;
  const held = (await countStoredValues(ctx.db, ctx.registry, record, before.StoredName)) ?? '0';
  if (isRenamed)
    ctx.alert({
      code: 'VALUES_KEPT',
      id: before.CustomFieldID,
      text:
        `${held} ${record.name} records have values of ${before.CustomField}; they remain stored under the new name ` +
        `${next.CustomField}. Reports still find them under ${before.StoredName}.`,
    });
  if (isHidden) warnStoredValues(ctx, record, before, held);
}

/** Warns that a field is hidden or deleted while its values are kept. */
export function warnStoredValues(
  ctx: Context,
  record: RecordType,
  { CustomFieldID, CustomField }: Pick<StoredCustomField, 'CustomFieldID' | 'CustomField'>,
  held: string,
): void {
  ctx.alert({
    code: 'VALUES_KEPT',
    id: CustomFieldID,
    text:
      `${held} ${record.name} records have values of ${CustomField}; they remain stored and are shown again if the ` +
      'field is restored.',
  });
}

async function assertFits(ctx: Context, record: RecordType, next: StoredCustomField): Promise<void> {
  const misfits = await countMisfittingValues(ctx.db, ctx.registry, record, next);
  if (misfits === undefined) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'Kind',
    message:
      `Kind: ${misfits} ${record.name} records have a value of ${next.StoredName} that is not a valid ` +
      `${next.Kind}${kindLimit(next)}; change these first.`,
    details: { Count: misfits },
  });
}

function kindLimit({ Kind, Max }: StoredCustomField): string {
  if (Kind === 'Text') return ` of at most ${Max ?? TEXT_DEFAULT} characters`;
  return Kind === 'Choice' ? ' among Values' : '';
}

/** Throws for a text longer than its index allows while the index exists: such texts could not be saved. */
async function assertIndexGone(ctx: Context, record: RecordType, next: StoredCustomField): Promise<void> {
  if (next.Kind !== 'Text' || (next.Max ?? TEXT_DEFAULT) <= INDEXED_TEXT_MAX) return;
  const standing = await ctx.db.query(
    `select 1
     from pg_indexes
     where schemaname = 'public' and tablename = $1::text and indexname like 'customfield\\_%'
       and strpos(indexdef, quote_literal($2::text)) > 0`,
    [record.root.table, next.StoredName],
  );
  if (standing.length > 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Max',
      message:
        `Max: the index on ${next.StoredName} still exists and holds at most ${INDEXED_TEXT_MAX} characters; ` +
        'housekeeping removes it within minutes after IsIndexed becomes false.',
    });
}
