import type { Context } from '../../../kernel/door/context.ts';
import { defineCheck, defineGuard } from '../../../kernel/declare/reaction.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { assertConfirmed } from '../../../kernel/security/confirmation.ts';
import { assertKeyLimits } from './lib/key-limits.ts';
import { isAdministrator, requireRemainingAdministrator } from '../lib/administrators.ts';
import { assertHoldsRightsOf, rightsOfPerson } from '../lib/grant-limit.ts';
import { apiKey } from './apikey.record.ts';

export const checks = [
  defineCheck({
    on: apiKey,
    doc: 'Refuses inserts except by apikey/create, which alone can show the key; a save changes limits only.',
    run(_ctx, { values, id }) {
      if (id === undefined)
        throw new PlatformError('STATE_REFUSES', {
          message:
            'Create keys with apikey/create, which returns the key once. save changes the limits of an existing key.',
        });
      if (values.PersonID !== undefined)
        throw new PlatformError('STATE_REFUSES', {
          field: 'PersonID',
          message: 'PersonID: the user of a key cannot change; create another key instead.',
        });
      assertKeyLimits(values.AllowedNetworks, values.RateLimitPerMinute);
    },
  }),
];

export const guards = [
  defineGuard({
    on: apiKey,
    decidesBy: 'rights',
    doc:
      'Nobody makes or extends a key of a user who may do more than they may themselves. Revoking and deleting keys ' +
      'only takes away. The last administrator stays.',
    async before(ctx, { id, change, columns }) {
      const personId = await userOfKey(ctx, id);
      if (isAdministrator(await rightsOfPerson(ctx, personId))) requireRemainingAdministrator(ctx);
      if (change === 'delete' || columns.has('RevokedDate')) return;
      assertConfirmed(ctx);
      await assertHoldsRightsOf(ctx, personId, 'ID');
    },
    async after(ctx, { id, change }) {
      if (change === 'update') return;
      assertConfirmed(ctx);
      await assertHoldsRightsOf(ctx, await userOfKey(ctx, id), 'PersonID');
    },
  }),
];

async function userOfKey(ctx: Context, apiKeyId: number): Promise<number> {
  const [row] = await ctx
    .transaction()
    .elevated((db) =>
      db.query<{ personid: number }>('select personid from apikey where apikeyid = $1::bigint', [apiKeyId]),
    );
  return row?.personid ?? 0;
}
