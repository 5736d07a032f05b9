import { arrayLiteral } from '../../../kernel/database/store.ts';
import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { businessCalendar } from '../../work/public/business-calendar.ts';

/** Most cases of one call: two pages of a list. */
const CASES_MAX = 200;

const fields = {
  CaseSummaryID: required(f.id({ doc: 'The case.' })),
  DaysInStage: required(f.integer({ doc: 'Business days for which the case has been working toward its milestone.' })),
  TargetDays: f.integer({ doc: 'Business days that the stage should take.' }),
};

export const operation = defineOperation({
  module: 'casesummary',
  name: 'StageDays',
  // It counts the days since a date that a search returns.
  permission: 'CaseSummarySearch',
  method: 'GET',
  summary: 'Returns how long cases have been in their stages, in business days. Cases without a stage are left out.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { ID: required(f.idList({ doc: 'The cases.', max: CASES_MAX })) },
  returns: 'list',
  answerName: 'StageDays',
  rows: fields,
  errors: [],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const [rows, calendar] = await Promise.all([
    ctx.db.query<{ id: number; began: string; target: number | null }>(
      `select casesummaryid as id, stagebegan as began, targetdays as target
       from casesummary
       where casesummaryid = any($1::bigint[]) and stagebegan is not null`,
      [arrayLiteral(ID)],
    ),
    businessCalendar(ctx),
  ]);
  const now = ctx.clock.milliseconds();
  return list(
    'StageDays',
    fields,
    rows.map(({ id, began, target }) => ({
      CaseSummaryID: id,
      DaysInStage: Math.max(0, calendar.businessDays(Date.parse(began), now)),
      TargetDays: target,
    })),
  );
});
