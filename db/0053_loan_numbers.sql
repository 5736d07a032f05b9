-- One loan has a number, an empty investor included. What a firm sends under the number of another loan waits as a loan of its own.
alter table loan add column assignmentstatus varchar(9) collate casewright_text;
-- A firm sees what it sent itself: a loan that waits is visible to the firms of its cases.
create or replace function casewright_reach_loan(wanted bigint)
  returns void language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  firms bigint[] := coalesce((select array_agg(distinct p.organizationid order by p.organizationid)
    from process p join loan l on l.loanid = p.loanid
    where p.loanid = wanted and (p.loanassigned or l.assignmentstatus = 'Waiting') and p.organizationid is not null), '{}');
begin
  update loan set reachorganizationid = firms where loanid = wanted and reachorganizationid is distinct from firms;
end $function$;

-- online: the present index protects the numbers until the new one does.
-- Loans without an investor could share a number. All but the oldest are marked, so that staff can merge or renumber them.
-- Nothing else about them changes.
update loan set assignmentstatus = 'Duplicate'
where loanid in (
  select d.loanid
  from (select loanid, row_number() over (partition by loan order by loanid) as n
    from loan where agency is null and loan is not null and assignmentstatus is null) d
  where d.n > 1
);
create unique index concurrently if not exists loan_number_key on loan (agency, loan) nulls not distinct
  where assignmentstatus is null and loan is not null;
drop index concurrently if exists loan_loan_key;
alter index if exists loan_number_key rename to loan_loan_key;
create unique index concurrently if not exists loan_waiting_loan_key on loan (agency, loan, sourceorganizationid) nulls not distinct
  where assignmentstatus = 'Waiting';
create index concurrently if not exists loan_assignmentstatus_idx on loan (loanid) where assignmentstatus is not null;
-- The cases that wait for their loan.
create index concurrently if not exists process_loanassigned_idx on process (processid) where not loanassigned;
