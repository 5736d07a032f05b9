import { activeCondition, openCondition } from '../../../../kernel/records/save/final-status.ts';
import { process } from '../../../cases/process/process.record.ts';
import { decisionDelay } from '../../../work/decisiondelay/decisiondelay.record.ts';
import { importForm } from '../../../work/importform/importform.record.ts';
import { caseSummary } from '../casesummary.record.ts';

/** Borrowers whose names a summary shows. */
const BORROWERS_MAX = 3;

/** The columns of a summary except its id, in the order of the statement's select list. */
const COLUMNS = [
  'casesummary',
  'status',
  'casesummarytype',
  'processid',
  'recordclass',
  'isopen',
  'loanid',
  'loannumber',
  'borrower',
  'address',
  'city',
  'state',
  'agency',
  'upbamount',
  'organizationid',
  'assignedpersonid',
  'dateopened',
  'dateclosed',
  'scheduledsaledate',
  'chapter',
  'stage',
  'stagenumber',
  'stagecount',
  'stagebegan',
  'stagetarget',
  'targetdays',
  'hold',
  'helddate',
  'nexttask',
  'nexttaskid',
  'nextdue',
];

/**
 * Returns the statement that writes the summaries of cases. Parameters: their ids, and their stages as a JSON array. A
 * summary that is right already is not written again.
 */
export const WRITE_SUMMARIES = `insert into ${caseSummary.table} as s (casesummaryid, ${COLUMNS.join(', ')})
  overriding system value
  select p.processid, p.process, p.status, p.processtype, p.processid, p.recordclass, ${activeCondition(process, 'p')},
    p.loanid, l.loan, b.names, r.address, r.city, r.state, l.agency, l.upbamount, p.organizationid, p.assignedpersonid,
    p.dateopened, p.dateclosed, fc.scheduledsaledate, bk.chapter, st.stage, st.number, st.count, st.began, st.target,
    st.days, h.hold, h.began, t.task, t.id, t.due
  from process p
  left join foreclosure fc on fc.foreclosureid = p.processid
  left join bankruptcy bk on bk.bankruptcyid = p.processid
  left join loan l on l.loanid = p.loanid
  left join property r on r.propertyid = l.propertyid
  left join jsonb_to_recordset($2::text::jsonb) as st (id bigint, stage text, number integer, count integer,
    began timestamptz, target timestamptz, days integer) on st.id = p.processid
  left join lateral (
    select left(string_agg(case when n > 1 and lastname = first then firstname else contact end, ' and ' order by n),
      255) as names
    from (
      select c.contact, c.lastname, c.firstname, row_number() over place as n,
        first_value(c.lastname) over place as first
      from contact c
      where c.objectid = p.loanid and c.object = 'Loan' and c.parentcontactid is null
        and (c.borrowertype is not null or c.sequence is not null)
      window place as (order by c.borrowertype, c.sequence nulls last, c.contactid)
      limit ${BORROWERS_MAX}) borrower
  ) b on true
  left join lateral (
    select d.decisiondelay as hold, coalesce(d.actualstart, d.createddate) as began
    from decisiondelay d
    where d.objectid = p.processid and d.object = p.recordclass and d.decisionid is null
      and ${openCondition(decisionDelay, 'd')} and coalesce(d.actualstart <= now(), true)
    order by began, d.decisiondelayid
    limit 1
  ) h on true
  left join lateral (
    select i.importform as task, i.importformid as id, coalesce(i.projectedcompletion, i.estimatedcompletion) as due
    from importform i
    where i.objectid = p.processid and i.object = p.recordclass and ${activeCondition(importForm, 'i')}
    order by due nulls last, i.importformid
    limit 1
  ) t on true
  where p.processid = any($1::bigint[])
  on conflict (casesummaryid) do update
  set ${COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}, updateddate = now(), version = s.version + 1
  where (${COLUMNS.map((name) => compared('s', name)).join(', ')}) is distinct from
    (${COLUMNS.map((name) => compared('excluded', name)).join(', ')})`;

/** Returns SQL of a value to compare: of texts with their case, which their own collation ignores. */
function compared(row: string, name: string): string {
  const isText = caseSummary.columns.get(name)?.field.kind === 'text';
  return `${row}.${name}${isText ? ' collate "C"' : ''}`;
}
