import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { maskNumbers } from '../../../../kernel/security/mask.ts';

/** Files returned at most. */
const FILES_MAX = 200;

/** A file in a home. */
export interface SftpFile {
  readonly SftpFileID: number;
  readonly FileName: string;
  readonly State: 'Receiving' | 'Waiting' | 'Reading' | 'Not imported';
  readonly Size: number | null;
  readonly ReceivedDate: string;
  readonly Reason: string | null;
  readonly LeftDate: string | null;
  readonly SftpAccountID: number;
  readonly Account: string;
  readonly OrganizationID: number | null;
  readonly Organization: string | null;
}

/** What a firm sent by sFTP on a day. */
export interface SftpDay {
  readonly OrganizationID: number | null;
  readonly Organization: string | null;
  readonly Day: string;
  readonly Files: number;
  readonly Failed: number;
  readonly Open: number;
}

/**
 * Returns the firm whose files the caller sees; null for all, which takes the permission SftpAccountSearch.
 * @throws NO_PERMISSION
 */
export function visibleFirm({ user }: Pick<Context, 'user'>): number | null {
  if (!user.universal && user.organizationId !== null) return user.organizationId;
  if (user.universal && user.permissions.has('SftpAccountSearch')) return null;
  throw new PlatformError('NO_PERMISSION', {
    message: 'Only the firm that sent files by sFTP, and users with the permission SftpAccountSearch, can see them.',
  });
}

/**
 * Returns the files that are in the homes, of a firm or of all: those not imported first, then the latest. Accounts
 * have no row security, so the firm is the only limit.
 */
export async function selectSftpFiles(ctx: Context, firm: number | null): Promise<readonly SftpFile[]> {
  const rows = await ctx.configuration.db.query<SftpFile>(
    `select f.sftpfileid as "SftpFileID", f.filename as "FileName", f.size as "Size",
         case f.state when 'Open' then 'Receiving' when 'Complete' then 'Waiting' when 'Left' then 'Not imported'
           else 'Reading' end as "State",
         f.createddate as "ReceivedDate", case when f.state = 'Left' then f.reason end as "Reason",
         case when f.state = 'Left' then f.leftdate end as "LeftDate", a.sftpaccountid as "SftpAccountID",
         a.sftpaccount as "Account", p.organizationid as "OrganizationID", o.contact as "Organization"
       from sftpfile f join sftpaccount a on a.sftpaccountid = f.sftpaccountid
         join person p on p.personid = a.personid
         left join contact o on o.contactid = p.organizationid
       where $1::bigint is null or p.organizationid = $1::bigint
       order by (f.state = 'Left') desc, f.createddate desc, f.sftpfileid desc limit $2::integer`,
    [firm, FILES_MAX],
  );
  return rows.map((row) => ({ ...row, FileName: maskNumbers(row.FileName) }));
}

/** Returns how many files each firm sent by sFTP on each of the last days, in the installation's time zone. */
export function selectSftpDays(ctx: Context, firm: number | null, days: number): Promise<readonly SftpDay[]> {
  const since = new Date(ctx.clock.milliseconds() - days * 86_400_000).toISOString();
  return ctx.configuration.db.query<SftpDay>(
    `select f.organizationid as "OrganizationID", max(o.contact) as "Organization",
         to_char(f.createddate at time zone $2::text, 'YYYY-MM-DD') as "Day", count(*)::integer as "Files",
         count(*) filter (where f.errorcount > 0 or f.status in ('Error', 'Validation Error'))::integer as "Failed",
         count(*) filter (where f.importcomplete is null)::integer as "Open"
       from importfile f left join contact o on o.contactid = f.organizationid
       where f.sftpaccountid is not null and f.createddate >= $1::timestamptz and f.unlisted is not true
         and ($3::bigint is null or f.organizationid = $3::bigint)
       group by f.organizationid, 3 order by 2, 1, 3`,
    [since, ctx.settings.get(timeZone), firm],
  );
}
