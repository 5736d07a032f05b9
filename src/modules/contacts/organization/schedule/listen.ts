import { list } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { f } from '../../../../kernel/declare/field.ts';
import type { Principal } from '../../../../kernel/security/identity.ts';
import { defineOperation, handle } from '../../../../kernel/declare/operation.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import {
  requireOtherPerson,
  removeSchedule,
  scheduleFields,
  schedulesOf,
  setSchedule,
  type NewSchedule,
} from '../lib/organization-schedules.ts';

export const operation = defineOperation({
  module: 'organization',
  name: 'Listen',
  path: 'schedule/listen',
  method: 'GET',
  summary:
    'Creates or updates a recurring call for an organization, which runs as one of its users. Without a ' +
    'signature, lists the existing ones. Sending an existing signature changes when it recurs.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'OrganizationScheduleListen',
  names: 'ID',
  params: {
    ID: f.id({ doc: "The organization. Default: the caller's own." }),
    ScheduleName: f.text({
      doc:
        'When it recurs: `Daily @ 3am`, `Weekly on Mon, Fri @ 02:30`, `Monthly on the second Tuesday every 2 ' +
        'month @ 8:00 AM`.',
      max: 200,
    }),
    Signature: f.text({
      doc: 'The operation to call: `Module/Operation?Parameters`. `{OrganizationID}` and `{PersonID}` are filled in.',
      max: 20000,
    }),
    PersonID: f.id({
      doc:
        'The user of the organization that it runs as. Default: the caller. Only administrators can choose ' +
        'another user.',
      to: 'Person',
    }),
    OrganizationScheduleID: f.id({
      doc: 'The recurring call to change or remove, if the signature does not identify it.',
    }),
    Remove: f.boolean({
      doc: 'Removes the recurring call with the OrganizationScheduleID or Signature.',
      default: false,
    }),
  },
  callsNamed: true,
  returns: 'list',
  answerName: 'OrganizationSchedule',
  rows: scheduleFields,
  errors: ['BAD_PARAMETER', 'BAD_SIGNATURE', 'MISSING_PARAMETER', 'NO_PERMISSION', 'NOT_FOUND', 'TOO_LARGE'],
  source: 'decisions, Records and operations',
});

export const run = handle(
  operation,
  async (ctx, { ID, ScheduleName, Signature, PersonID, OrganizationScheduleID, Remove }) => {
    const organizationId = requireOrganizationId(ctx, ID);
    const signature = trimmedText(Signature);
    const id = OrganizationScheduleID ?? undefined;
    const isPersonSent = typeof PersonID === 'number';
    const isNamed = signature !== undefined || id !== undefined;
    const keepsPerson = (id !== undefined || Remove) && !isPersonSent;
    const person =
      isNamed || isPersonSent
        ? await personOf(ctx, organizationId, PersonID ?? ctx.user.personId, keepsPerson)
        : undefined;
    let made: NewSchedule | undefined;
    if (Remove) await removeSchedule(ctx, organizationId, { id, signature });
    else if (person && isNamed) {
      const scheduleName = ScheduleName ?? undefined;
      made = await setSchedule(ctx, organizationId, { id, signature, scheduleName, person, isPersonSent });
    } else if (ScheduleName || isPersonSent) throw missingSignature();
    return list('OrganizationSchedule', scheduleFields, await schedulesOf(ctx, organizationId, made));
  },
);

function requireOrganizationId({ user }: Context, id: number | null | undefined): number {
  const organizationId = id ?? user.organizationId;
  if (organizationId === null)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ID',
      message: 'ID is required: the organization. Your own account belongs to none.',
    });
  return organizationId;
}

function trimmedText(text: string | null | undefined): string | undefined {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? undefined : trimmed;
}

const missingSignature = (): PlatformError =>
  new PlatformError('MISSING_PARAMETER', {
    field: 'Signature',
    message: 'Signature is required: the operation to call, as Module/Operation?Parameters.',
  });

/**
 * Returns the person that the call runs as. `isChange`: an existing call keeps its person, and the caller need not
 * belong to the organization.
 */
async function personOf(ctx: Context, organizationId: number, personId: number, isChange: boolean): Promise<Principal> {
  if (personId !== ctx.user.personId) return requireOtherPerson(ctx, organizationId, personId);
  if (ctx.user.organizationId !== organizationId && !isChange)
    throw bad('PersonID', 'a user of the organization; you belong to another or to none');
  return ctx.user;
}
