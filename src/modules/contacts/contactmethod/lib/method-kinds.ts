import type { Context } from '../../../../kernel/door/context.ts';
import type { Settings } from '../../../../kernel/declare/setting.ts';
import { lockName } from '../../../../kernel/database/advisory-lock.ts';
import { fold } from '../../../../kernel/parameters/fold.ts';
import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import { contactMethodTypes, contactMethodUniqueByType } from '../settings.ts';

/** A kind of contact methods that a save of a contact takes by the kind's name: `Email=`. */
export interface MethodKind {
  /** The name of the parameter: the kind's without spaces. */
  readonly parameter: string;
  /** The kind as it is stored in MethodType. */
  readonly name: string;
  /** Whether a contact has one method of each kind. */
  readonly isOnly: boolean;
}

/** Returns the kinds of contact methods, from the settings; their defaults without settings. */
export function methodKinds(settings: Settings | undefined): readonly MethodKind[] {
  const isOnly = settings ? settings.get(contactMethodUniqueByType) : contactMethodUniqueByType.default;
  const names = settings ? settings.get(contactMethodTypes) : contactMethodTypes.default;
  return splitCommaList(names).map((name) => ({ parameter: name.replaceAll(' ', ''), name, isOnly }));
}

/**
 * Returns a kind as the settings spell it: `homephone` is Home Phone. A kind that is not in the settings stays as it
 * is.
 */
export function canonicalKind(ctx: Pick<Context, 'settings'>, kind: string): string {
  const joined = (name: string): string => fold(name).replaceAll(' ', '');
  const names = splitCommaList(ctx.settings.get(contactMethodTypes));
  return names.find((name) => joined(name) === joined(kind)) ?? kind.trim();
}

/** Locks the kinds of a contact's methods until the transaction ends: no other transaction adds or removes one. */
export function lockKinds(ctx: Context, contactId: number): Promise<void> {
  return lockName(ctx, `kinds contactmethod ${contactId}`);
}

/** Returns the ids of a contact's methods of a kind, oldest first, optionally with one value. */
export async function idsOfKind(
  ctx: Context,
  of: { readonly contactId: number; readonly kind: string; readonly value?: string },
): Promise<number[]> {
  const rows = await ctx.db.query<{ id: number }>(
    `select contactmethodid as id from contactmethod
     where contactid = $1::bigint and methodtype = $2::text and ($3::text is null or contactvalue = $3::text)
     order by 1`,
    [of.contactId, of.kind, of.value ?? null],
  );
  return rows.map((row) => row.id);
}
