import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { fold } from '../../../kernel/parameters/fold.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { updateRow } from '../../../kernel/records/save/update-row.ts';
import { canonicalEmail, canonicalTelephone, valueKind, type ValueKind } from './lib/contact-value.ts';
import { canonicalKind, idsOfKind, lockKinds } from './lib/method-kinds.ts';
import { contactMethodUniqueByType } from './settings.ts';
import { contactMethod } from './contactmethod.record.ts';
import { type Values, valueAfter } from '../../../kernel/declare/values.ts';

/** The value as it is stored; undefined for an invalid e-mail address. */
function canonicalValue(kind: ValueKind, value: string): string | undefined {
  if (kind === 'email') return canonicalEmail(value);
  return kind === 'telephone' ? canonicalTelephone(value) : value.trim();
}

function normalizeValue(values: Values<typeof contactMethod>, type: string): void {
  const value = values.ContactValue;
  if (typeof value !== 'string') return;
  const plain = canonicalValue(valueKind(type), value);
  if (plain === undefined) throw bad(type, 'an email address such as name@example.com');
  values.ContactValue = plain === '' ? null : plain;
}

/** Throws if a method that changes type or contact would be a second one of its type there. */
async function assertOnlyOfType(
  ctx: Context,
  record: RecordType,
  id: number,
  { contactId, type }: { readonly contactId: unknown; readonly type: string },
): Promise<void> {
  if (typeof contactId !== 'number' || !ctx.settings.get(contactMethodUniqueByType)) return;
  await lockKinds(ctx, contactId);
  const other = (await idsOfKind(ctx, { contactId, kind: type })).find((of) => of !== id);
  if (other !== undefined)
    throw new PlatformError('DUPLICATE_KEY', {
      field: 'MethodType',
      message: `MethodType: the contact already has the type ${type}, contact method ${other}.`,
      details: { Object: record.name, ObjectID: other },
    });
}

export const checks = [
  defineCheck({
    on: contactMethod,
    doc:
      'Email addresses are valid, phone numbers are stored in one format if they can be parsed, types have the ' +
      'spelling of the settings, and a contact has one method per type if the settings require it.',
    async run(ctx, { record, values, id }) {
      const stored = id === undefined ? undefined : await readRecord(ctx.db, contactMethod, id);
      const [start, end] = [valueAfter(values, stored, 'ValidStart'), valueAfter(values, stored, 'ValidEnd')];
      if (typeof start === 'string' && typeof end === 'string' && start > end)
        throw bad('ValidEnd', 'a day that is not before ValidStart');
      const type = valueAfter(values, stored, 'MethodType');
      if (typeof type !== 'string') return;
      const name = canonicalKind(ctx, type);
      if (values.MethodType !== undefined) values.MethodType = name;
      normalizeValue(values, name);
      const contactId = valueAfter(values, stored, 'ContactID');
      // A save by type sends the type and the contact that the method has already: it may have older ones beside it.
      const isMoved = stored && (contactId !== stored.ContactID || fold(name) !== fold(stored.MethodType ?? ''));
      if (id !== undefined && isMoved === true) await assertOnlyOfType(ctx, record, id, { contactId, type: name });
    },
  }),
];

export const reactions = [
  defineReaction({
    on: contactMethod,
    after: ['insert', 'update'],
    doc: 'A contact has one primary method per type: the last one marked as primary.',
    async run(ctx, row, _change, changed) {
      const [contactId, type] = [row.ContactID, row.MethodType];
      if (
        row.PrimaryMethod !== true ||
        !changed.has('PrimaryMethod') ||
        typeof contactId !== 'number' ||
        typeof type !== 'string'
      )
        return;
      const record = ctx.registry.recordType('ContactMethod');
      await lockKinds(ctx, contactId);
      const others = await ctx.db.query<{ id: number }>(
        `select contactmethodid as id
         from contactmethod
         where contactid = $1::bigint and methodtype = $2::text and primarymethod and contactmethodid <> $3::bigint
         order by 1`,
        [contactId, type, row.ContactMethodID],
      );
      for (const { id } of others) await updateRow(ctx, record, id, { PrimaryMethod: false });
    },
  }),
];
