import type { Context } from '../../../kernel/door/context.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import type { ContextWords } from './password-policy.ts';

/** Returns the words that others know of a stored user, their firm's name included. Needs a transaction. */
export async function contextWordsOf(ctx: Context, personId: number): Promise<ContextWords> {
  // Elevated: row security may hide the firm from the caller.
  return ctx.transaction().elevated(async (db) => {
    const user = await readRecord(db, ctx.registry.recordType('Person'), personId);
    const firmId = user.OrganizationID;
    const firm = firmId === null ? undefined : await readRecord(db, ctx.registry.recordType('Organization'), firmId);
    return [user.Person, user.FirstName, user.LastName, user.Email, firm?.Organization];
  });
}
