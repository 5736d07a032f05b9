import type { Context } from '../../../kernel/door/context.ts';
import { marks } from '../../../kernel/door/scratch.ts';
import type { Collection, RecordType } from '../../../kernel/declare/record.ts';
import type { Values } from '../../../kernel/declare/values.ts';
import type { Registry } from '../../../kernel/declare/registry.ts';
import {
  defineSaveFeature,
  requireState,
  stateOf,
  type IdentifiedRecords,
  type SaveDraft,
  type SaveParameter,
  type SaveParse,
} from '../../../kernel/declare/save-feature.ts';
import { fold } from '../../../kernel/parameters/fold.ts';
import { bad, parseValue, type ParseOptions, type RawValue } from '../../../kernel/parameters/parse-value.ts';
import { assertCollectionSize, planColumns, type SavePlan } from '../../../kernel/records/save/plan.ts';
import { contactMethod } from './contactmethod.record.ts';
import { canonicalKind, idsOfKind, lockKinds, methodKinds, type MethodKind } from './lib/method-kinds.ts';
import { contactMethodUniqueByType } from './settings.ts';

/** Methods that the transaction has saved by kind: contact, kind and, where several of a kind may be, the value. */
const savedMethods = marks<string>('kinds of contact methods saved');

/** What a save of a contact method knows besides its columns. */
interface MethodState {
  /**
   * The method was sent by its kind's name alone: where a contact may have several of a kind, one with the same value
   * is the same method.
   */
  isNamedByKind: boolean;
}

export const saveFeature = defineSaveFeature({
  doc:
    'A contact accepts a contact method under the name of its kind: `Email=`. While a contact has one method of each ' +
    'kind, another one changes the existing one, and one without a value deletes it.',
  appliesTo: (record, registry) => isMethod(record) || methodsOf(registry, record) !== undefined,
  initial: (): MethodState => ({ isNamedByKind: false }),
  parameterNames: (record, { registry, options }) =>
    methodsOf(registry, record) === undefined ? [] : methodKinds(options.settings).map((kind) => kind.parameter),
  parse: parseKind,
  identify: async (ctx, plan, sentId) => {
    if (!isMethodPlan(plan)) return undefined;
    if (sentId === undefined) return findOfKind(ctx, plan);
    // A method named by its id is deleted where its value was sent empty.
    const isCleared = plan.values.ContactValue === null && ctx.settings.get(contactMethodUniqueByType);
    return isCleared ? { ids: [sentId], isCleared, field: 'MethodType' } : undefined;
  },
});

function isMethod(record: RecordType): boolean {
  return record.name === contactMethod.name;
}

function isMethodPlan(plan: SavePlan): plan is SavePlan<typeof contactMethod> {
  return isMethod(plan.record);
}

/** Returns the collection of a contact's methods; undefined for other record types. */
function methodsOf(registry: Registry, record: RecordType): Collection | undefined {
  const collections = [...registry.collections(record).values()];
  return collections.find((collection) => collection.record === contactMethod.name && collection.by === 'ContactID');
}

/** Parses `Email=` of a contact: its contact method of that kind. */
function parseKind(draft: SaveDraft, { name, raw, field }: SaveParameter, parse: SaveParse): boolean {
  const { registry, options } = parse;
  const collection = methodsOf(registry, draft.plan.record);
  const kind = methodKinds(options.settings).find(({ parameter }) => parameter.toLowerCase() === name.toLowerCase());
  if (!collection || !kind) return false;
  const child = registry.recordType('ContactMethod');
  const items = kindValues(kind, { raw, field }, parse).map((values) => {
    const plan = planColumns(child, values);
    requireState(plan, saveFeature).isNamedByKind = true;
    return plan;
  });
  assertCollectionSize(field, items.length);
  draft.addChildren(collection, items);
  return true;
}

/**
 * Returns the values of the methods that one parameter sends. Where a contact has one method of each kind, an empty
 * value clears it; where it may have several, an empty value is ignored.
 */
function kindValues(
  kind: MethodKind,
  { raw, field }: Omit<SaveParameter, 'name'>,
  { options }: SaveParse,
): Values<typeof contactMethod>[] {
  const sent = Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw];
  if (kind.isOnly && sent.length > 1) throw bad(field, `one value: there is only one ${kind.name} of each record`);
  return sent
    .map((one) => parseMethodValue(typeof one === 'string' ? one.trim() : one, field, options))
    .filter((value) => kind.isOnly || value !== null)
    .map((value) => ({ MethodType: kind.name, ContactValue: value }));
}

function parseMethodValue(raw: RawValue, field: string, options: ParseOptions): string | null {
  return parseValue(contactMethod.fields.ContactValue, raw, field, options) as string | null;
}

/**
 * Finds the stored methods of the kind of a method that is saved without an identity. Where a contact may have several
 * of a kind, only a method sent by the kind's name is looked up, and by its value. Undefined where nothing is looked
 * up, or where the kind or the contact is not known.
 *
 * Of two concurrent calls, the second waits and finds the first's method. The kind is not a unique key in the database,
 * because it is unique only while a setting is on.
 */
async function findOfKind(ctx: Context, plan: SavePlan<typeof contactMethod>): Promise<IdentifiedRecords | undefined> {
  const { ContactID: contactId, MethodType: sent, ContactValue: value } = plan.values;
  if (typeof contactId !== 'number' || typeof sent !== 'string') return undefined;
  const kind = canonicalKind(ctx, sent);
  const isOnly = ctx.settings.get(contactMethodUniqueByType);
  if (!isOnly && stateOf(plan, saveFeature)?.isNamedByKind !== true) return undefined;
  const isCleared = isOnly && value === null;
  // No other transaction sees a contact that this one has inserted: its first method of a kind needs no query, no lock.
  const saved = ctx.scratch(savedMethods);
  const key = `${contactId} ${fold(kind)}${isOnly ? '' : ` ${String(value)}`}`;
  const isFirst = isCleared ? !saved.has(key) : saved.add(key);
  if (isFirst && isNewInTransaction(ctx, contactId)) return { ids: [], isCleared, field: 'MethodType' };
  await lockKinds(ctx, contactId);
  const ids = await idsOfKind(ctx, { contactId, kind, ...(isOnly ? {} : { value: String(value) }) });
  return { ids, isCleared, field: 'MethodType' };
}

function isNewInTransaction(ctx: Context, contactId: number): boolean {
  const contact = ctx.registry.recordType('Contact');
  return ctx.registry.family(contact).some((of) => ctx.reach.hasCreated(of, contactId));
}
