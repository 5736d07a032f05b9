import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';

/** A file that a watch expects. */
interface ExpectedFileRow {
  readonly Location: string;
  readonly Operation: string;
  readonly Path: string;
  readonly Pattern: string;
  readonly ExpectedBy: string;
  readonly DueDate: string;
  readonly HasCome: boolean;
  readonly IsMissing: boolean;
  readonly LastDate: string | null;
}

/** Most files that are listed. */
const LISTED_MAX = 200;

/**
 * Returns the files that watches expect, late ones first.
 * @throws NO_PERMISSION without universal access: storage locations belong to the installation
 */
export function selectExpectedFiles(ctx: Context): Promise<ExpectedFileRow[]> {
  if (!ctx.user.universal)
    throw new PlatformError('NO_PERMISSION', { message: 'Only users with universal access can see expected files.' });
  return ctx.db.query<ExpectedFileRow>(
    `select e.location as "Location", e.kind as "Operation", e.path as "Path", e.pattern as "Pattern",
       e.expectedby as "ExpectedBy", e.duedate as "DueDate", e.hascome as "HasCome", e.ismissing as "IsMissing",
       (select w.changeddate from watchedfile w
        where w.location = e.location and w.kind = e.kind and w.state in ('Imported', 'Done')
        order by w.watchedfileid desc limit 1) as "LastDate"
     from expectedfile e
     order by e.ismissing desc, e.duedate, e.location, e.path
     limit ${LISTED_MAX}`,
  );
}
