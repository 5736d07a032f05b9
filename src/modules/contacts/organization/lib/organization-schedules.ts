import { authorize } from '../../../../kernel/door/authorize.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { noteForOperators } from '../../../../kernel/door/error-log.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { f } from '../../../../kernel/declare/field.ts';
import type { Principal } from '../../../../kernel/security/identity.ts';
import { parseParameters } from '../../../../kernel/parameters/parse-parameters.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import type { QueueRequest } from '../../../../kernel/ports/queue.ts';
import { lockName } from '../../../../kernel/database/advisory-lock.ts';
import { parseRoute, unknownOperation } from '../../../../kernel/door/route.ts';
import { nextRun, parseSchedule } from '../../../../kernel/time/schedule.ts';
import { checkSignature, fillSignature } from '../../../../kernel/door/signature.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { assertMayActAs } from '../../../access/public/grants.ts';

/** Most recurring calls of one organization. */
const SCHEDULES_MAX = 100;

/** The columns of an organization's recurring calls. */
export const scheduleFields = {
  OrganizationScheduleID: f.id({ doc: 'The id of the recurring call.' }),
  ScheduleName: f.text({ doc: 'When it recurs.' }),
  Signature: f.text({ doc: 'The operation and parameters to call.' }),
  PersonID: f.id({ doc: 'As whom.', to: 'Person' }),
  Status: f.text({
    doc: 'Standing while it recurs; Stopped after its user has left or it was canceled in the queue.',
  }),
  NextRun: f.timestamp({ doc: 'When it runs next.' }),
  ScheduleID: f.text({ doc: 'The recurring call in the queue.' }),
  StoppedDate: f.timestamp({ doc: 'When it was stopped.' }),
  StoppedReason: f.text({ doc: 'Why.' }),
};

interface StoredSchedule {
  readonly id: number;
  readonly personid: number | null;
  readonly scheduleid: string | null;
  readonly schedulename: string;
  readonly signature: string;
  readonly stoppeddate: string | null;
  readonly stoppedreason: string | null;
}

/** A recurring call to create or change. */
export interface ScheduleRequest {
  readonly id?: number | undefined;
  readonly scheduleName?: string | undefined;
  readonly signature?: string | undefined;
  readonly person: Principal;
  /** Whether the caller named the person; an existing call otherwise keeps its own. */
  readonly isPersonSent: boolean;
}

const queueLabel = (organizationId: number): string => `Organization ${organizationId}`;
const columns =
  'organizationscheduleid as id, personid, scheduleid::text as scheduleid, schedulename, signature, ' +
  'stoppeddate, stoppedreason';

/** A recurring call that this transaction created: the queue gets it on commit. */
export interface NewSchedule {
  readonly scheduleId: string;
  readonly firstRun: string;
}

/** Returns the recurring calls of an organization, including stopped ones. */
export async function schedulesOf(ctx: Context, organizationId: number, made?: NewSchedule): Promise<object[]> {
  const [rows, waiting] = await elevated(
    ctx,
    async (db) =>
      [
        await db.query<StoredSchedule>(
          `select ${columns}
           from organizationschedule
           where organizationid = $1::bigint
           order by organizationscheduleid`,
          [organizationId],
        ),
        await ctx.queue.find(db, {
          label: queueLabel(organizationId),
          scheduled: true,
          start: 0,
          size: SCHEDULES_MAX * 2,
        }),
      ] as const,
  );
  return rows.map((row) => {
    const next = nextRunOf(row.scheduleid, waiting, made);
    return {
      OrganizationScheduleID: row.id,
      ScheduleName: row.schedulename,
      Signature: row.signature,
      PersonID: row.personid,
      Status: next ? 'Standing' : 'Stopped',
      NextRun: next ?? null,
      ScheduleID: row.scheduleid,
      StoppedDate: row.stoppeddate,
      StoppedReason:
        row.stoppedreason ??
        (next
          ? null
          : 'It has no run in the queue: it was canceled there, or the user that it runs as is no longer active.'),
    };
  });
}

/** Returns the next run of a recurring call: known for a new one, otherwise the one waiting in the queue. */
function nextRunOf(
  scheduleId: string | null,
  waiting: Awaited<ReturnType<Context['queue']['find']>>,
  made: NewSchedule | undefined,
): string | null | undefined {
  if (scheduleId === null) return undefined;
  if (scheduleId === made?.scheduleId) return made.firstRun;
  return waiting.find((message) => message.ScheduleID === scheduleId)?.StartAfter;
}

/** Creates a recurring call, or changes the one with the id or signature. */
export async function setSchedule(
  ctx: Context,
  organizationId: number,
  request: ScheduleRequest,
): Promise<NewSchedule> {
  await lockName(ctx, `schedules of organization ${organizationId}`);
  const before = await findSchedule(ctx, organizationId, request);
  const signature = request.signature ?? before?.signature;
  const scheduleName = request.scheduleName ?? before?.schedulename;
  if (signature === undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Signature',
      message: 'Signature is required: the operation to call, as Module/Operation?Parameters.',
    });
  if (scheduleName === undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ScheduleName',
      message: 'ScheduleName is required: when the call recurs, such as "Daily @ 3am".',
    });
  const person = await personOfSchedule(ctx, organizationId, before, request);
  if (person.organizationId !== organizationId) throw bad('PersonID', 'an active user of the organization');
  const firstRun = nextRun(parseSchedule(scheduleName), ctx.clock.milliseconds(), ctx.settings.get(timeZone));
  if (firstRun === undefined) throw bad('ScheduleName', 'a schedule that has a next run');
  const call = await checkedCall(ctx, signature, person, organizationId);
  if (before?.scheduleid) await elevated(ctx, (db) => ctx.queue.cancel(db, String(before.scheduleid)));
  const own = person.personId === ctx.user.personId;
  const scheduleId = await ctx.enqueue({
    ...call,
    scheduleName,
    queuedDate: firstRun,
    label: queueLabel(organizationId),
    ...(own ? {} : { personId: person.personId }),
  });
  await storeSchedule(ctx, organizationId, before?.id, {
    personId: person.personId,
    scheduleId,
    scheduleName,
    signature,
  });
  await ctx.security({
    event: 'OrganizationScheduleSet',
    object: 'Organization',
    objectId: organizationId,
    detail: `${call.route} as person ${person.personId}`.slice(0, 400),
  });
  return { scheduleId, firstRun };
}

/** Returns the person that the call runs as. An existing call keeps its person unless another is sent. */
async function personOfSchedule(
  ctx: Context,
  organizationId: number,
  before: StoredSchedule | undefined,
  { person, isPersonSent }: ScheduleRequest,
): Promise<Principal> {
  const personId = before?.personid ?? null;
  if (personId === null || isPersonSent || personId === ctx.user.personId) return person;
  // A caller who may not choose another person may not keep another person's call either.
  return requireOtherPerson(ctx, organizationId, personId);
}

/** Removes a recurring call. A run in progress finishes. */
export async function removeSchedule(
  ctx: Context,
  organizationId: number,
  named: Pick<ScheduleRequest, 'id' | 'signature'>,
): Promise<void> {
  await lockName(ctx, `schedules of organization ${organizationId}`);
  const before = await findSchedule(ctx, organizationId, named);
  if (!before)
    throw new PlatformError('NOT_FOUND', {
      field: 'OrganizationScheduleID',
      message: 'The organization has no such recurring call.',
    });
  await elevated(ctx, async (db) => {
    if (before.scheduleid !== null) await ctx.queue.cancel(db, before.scheduleid);
    await db.query('delete from organizationschedule where organizationscheduleid = $1::bigint', [before.id]);
  });
  await ctx.security({ event: 'OrganizationScheduleRemoved', object: 'Organization', objectId: organizationId });
}

async function findSchedule(
  ctx: Context,
  organizationId: number,
  { id, signature }: Pick<ScheduleRequest, 'id' | 'signature'>,
): Promise<StoredSchedule | undefined> {
  const condition = id === undefined ? 'signature = $2::text' : 'organizationscheduleid = $2::bigint';
  const [row] = await elevated(ctx, (db) =>
    db.query<StoredSchedule>(
      `select ${columns}
       from organizationschedule
       where organizationid = $1::bigint and ${condition}
       order by 1
       limit 1`,
      [organizationId, id ?? signature ?? ''],
    ),
  );
  if (!row && id !== undefined)
    throw new PlatformError('NOT_FOUND', {
      field: 'OrganizationScheduleID',
      message: `OrganizationScheduleID: the organization has no recurring call ${id}.`,
    });
  return row;
}

async function storeSchedule(
  ctx: Context,
  organizationId: number,
  id: number | undefined,
  of: {
    readonly personId: number;
    readonly scheduleId: string;
    readonly scheduleName: string;
    readonly signature: string;
  },
): Promise<void> {
  const values = [
    organizationId,
    of.personId,
    of.scheduleId,
    of.scheduleName,
    of.signature,
    ctx.clock.now(),
    ctx.user.personId,
  ];
  await elevated(ctx, async (db) => {
    if (id !== undefined) {
      await db.query(
        `update organizationschedule
         set personid = $2::bigint, scheduleid = $3::uuid, schedulename = $4::text, signature = $5::text,
           stoppeddate = null, stoppedreason = null
         where organizationscheduleid = $6::bigint and organizationid = $1::bigint`,
        [...values.slice(0, 5), id],
      );
      return;
    }
    const [{ n } = { n: 0 }] = await db.query<{ n: number }>(
      'select count(*)::integer as n from organizationschedule where organizationid = $1::bigint',
      [organizationId],
    );
    if (n >= SCHEDULES_MAX)
      throw new PlatformError('TOO_LARGE', {
        field: 'Signature',
        message: `Signature: an organization has at most ${SCHEDULES_MAX} recurring calls.`,
      });
    await db.query(
      `insert into organizationschedule (organizationid, personid, scheduleid, schedulename, signature, createddate,
         createdpersonid)
       values ($1::bigint, $2::bigint, $3::uuid, $4::text, $5::text, $6::timestamptz, $7::bigint)`,
      values,
    );
  });
}

/** Parses the call in a signature and checks it as the person who will make it: permission and parameters. */
async function checkedCall(
  ctx: Context,
  text: string,
  person: Principal,
  organizationId: number,
): Promise<Pick<QueueRequest, 'route' | 'parameters' | 'parent'>> {
  const signature = await checkSignature(ctx, text, { field: 'Signature' });
  const route = parseRoute(ctx.registry, signature.route.split('/'), 'POST');
  const operation = route.operation ?? (await ctx.findOperation(route.module, route.path));
  if (!operation) throw unknownOperation(ctx.registry, route);
  if (operation.body === 'raw') throw bad('Signature', 'an operation that takes parameters; this one takes a file');
  try {
    authorize(person, operation);
  } catch (error) {
    if (!(error instanceof PlatformError) || person.personId === ctx.user.personId) throw error;
    // The caller may be permitted although the person it runs as is not.
    throw new PlatformError(error.code, {
      field: 'PersonID',
      message:
        `PersonID: the call would run as user ${person.personId}, who may not call ${operation.route}; it ` +
        `requires the permission ${operation.permissionName}.`,
    });
  }
  const known: Readonly<Record<string, number>> = { OrganizationID: organizationId, PersonID: person.personId };
  const parameters = await fillSignature(signature, (expression) => {
    if (!Object.hasOwn(known, expression))
      throw new PlatformError('BAD_SIGNATURE', {
        field: 'Signature',
        message:
          `Signature: {${expression.slice(0, 60)}} cannot be filled in; expected {OrganizationID} or ` + '{PersonID}.',
      });
    return known[expression];
  });
  const sent = { ...parameters, ...route.segments, ...(route.id === undefined ? {} : { ID: route.id }) };
  parseParameters(operation, sent, { timeZone: ctx.settings.get(timeZone) });
  return {
    route: operation.route,
    parameters: sent,
    ...(route.parent ? { parent: { record: route.parent.record.name, id: route.parent.id } } : {}),
  };
}

/**
 * Returns a person other than the caller to run a call as. Requires the right to administer that person's account;
 * agents may not.
 */
export async function requireOtherPerson(ctx: Context, organizationId: number, personId: number): Promise<Principal> {
  if (!ctx.user.universal || ctx.user.agent || !ctx.user.permissions.has('PersonSave'))
    throw new PlatformError('NO_PERMISSION', {
      field: 'PersonID',
      message: 'PersonID: your recurring calls run as you. Only an administrator can choose another user.',
    });
  const expected = bad('PersonID', 'an active user of the organization');
  const person = await ctx.principalOf(personId).catch((error: unknown) => {
    throw error instanceof PlatformError && error.status < 500 ? expected : error;
  });
  if (person.organizationId !== organizationId) throw expected;
  await assertMayActAs(ctx, personId, 'PersonID');
  return person;
}

/** Stops recurring calls in the queue and in the list, and writes the error log for operators. */
export async function stopSchedules(
  ctx: Context,
  condition: string,
  params: readonly unknown[],
  reason: string,
): Promise<void> {
  await ctx.transaction().elevated(async (db) => {
    const rows = await db.query<{ id: number; scheduleid: string; organizationid: number | null }>(
      `select organizationscheduleid as id, scheduleid::text as scheduleid, organizationid
       from organizationschedule
       where scheduleid is not null and ${condition}
       for update`,
      params,
    );
    for (const { id, scheduleid, organizationid } of rows) {
      await ctx.queue.cancel(db, scheduleid);
      await db.query(
        `update organizationschedule
         set scheduleid = null, stoppeddate = $2::timestamptz, stoppedreason = $3::text
         where organizationscheduleid = $1::bigint`,
        [id, ctx.clock.now(), reason],
      );
      await noteForOperators(
        ctx,
        db,
        'organization/schedule/listen',
        `A recurring call of organization ${organizationid ?? '(deleted)'} was stopped: ${reason}`,
      );
      ctx.log.warn('a recurring call of an organization was stopped', {
        organizationId: organizationid,
        organizationScheduleId: id,
      });
    }
    await db.query('delete from organizationschedule where organizationid is null');
  });
}

/**
 * Runs without row security: the queue and the owners of recurring calls are hidden from firms' users. The
 * organization's visibility has decided access.
 */
function elevated<T>(ctx: Context, run: (db: Db) => Promise<T>): Promise<T> {
  return ctx.transaction().elevated(run);
}
