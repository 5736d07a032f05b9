import { item } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { loggableMessage } from '../../../kernel/database/database-error.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { hasStatus, hasUsers } from '../../access/public/users.ts';
import { UNCONFIRMED } from './lib/enroll-registration.ts';

/** Most registrations removed per call; the rest wait for the next. */
const EXPIRED_MAX = 200;

export const operation = defineOperation({
  module: 'organization',
  name: 'ExpireRegistrations',
  method: 'POST',
  summary:
    'Removes registrations that were not confirmed in time, with their users and organizations. Queued by ' +
    'housekeeping.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {},
  returns: { Removed: required(f.integer({ doc: 'How many registrations were removed.' })) },
  answerName: 'Expired',
  errors: [],
  source: 'docs/guides/integrators/registration.md',
});

interface Expired {
  readonly personid: number;
  readonly organizationid: number;
}

export const run = handle(operation, async (ctx) => {
  const rows = await ctx.db.query<Expired>(
    `delete from registration
     where registrationid = any(array(
       select registrationid
       from registration
       where expires <= $1::timestamptz
       order by expires
       limit ${EXPIRED_MAX}
       for update skip locked))
     returning personid, organizationid`,
    [ctx.clock.now()],
  );
  for (const row of rows) {
    // A user or organization that other records reference meanwhile stays, inactive.
    await ctx
      .savepoint(() => remove(ctx, row))
      .catch((error: unknown) =>
        ctx.log.warn('could not remove the records of an expired registration', {
          personId: row.personid,
          organizationId: row.organizationid,
          error: loggableMessage(error),
        }),
      );
  }
  return item('Expired', operation.returns, { Removed: rows.length });
});

async function remove(ctx: Context, { personid, organizationid }: Expired): Promise<void> {
  const [another] = await ctx.db.query('select 1 from registration where personid = $1::bigint limit 1', [personid]);
  if (!another && (await hasStatus(ctx.db, personid, UNCONFIRMED))) await ctx.call('person/delete', { ID: personid });
  const [organization] = await ctx.db.query(
    `select 1
     from contact c
     where c.contactid = $1::bigint and c.status = $2::text
       and not exists (select from registration r where r.organizationid = c.contactid)`,
    [organizationid, UNCONFIRMED],
  );
  if (!organization || (await hasUsers(ctx.db, organizationid))) return;
  const methods = await ctx.db.query<{ id: number }>(
    'select contactmethodid as id from contactmethod where contactid = $1::bigint',
    [organizationid],
  );
  for (const { id } of methods) await ctx.call('contactmethod/delete', { ID: id });
  await ctx.call('organization/delete', { ID: organizationid });
}
