-- down: which loans wait for assignment; their numbers, and those of duplicates, get the ID of the loan as a suffix
create or replace function casewright_reach_loan(wanted bigint)
  returns void language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  firms bigint[] := coalesce((select array_agg(distinct organizationid order by organizationid) from process where loanid = wanted and loanassigned and organizationid is not null), '{}');
begin
  update loan set reachorganizationid = firms where loanid = wanted and reachorganizationid is distinct from firms;
end $function$;
drop index if exists process_loanassigned_idx;
drop index if exists loan_assignmentstatus_idx;
drop index if exists loan_waiting_loan_key;
drop index if exists loan_loan_key, loan_number_key;
-- Their cases keep seeing them.
update process p set loanassigned = true from loan l where l.loanid = p.loanid and l.assignmentstatus = 'Waiting';
update loan set loan = left(loan, 28) || ' (' || loanid || ')' where assignmentstatus is not null;
create unique index loan_loan_key on loan (agency, loan);
drop view report.loan;
alter table loan drop column assignmentstatus;
create view report.loan with (security_invoker = true) as select loan.loanid, loan.loan, loan.status, loan.loantype, loan.agency, loan.propertyid, loan.servicerloanid, loan.originalbalance, loan.upbamount, loan.lienprioritytype, loan.sourceorganizationid, loan.createddate, loan.createdpersonid, loan.updateddate, loan.updatedpersonid, loan.version, loan.custom from loan;
grant select on report.loan to casewright_report, casewright_report_all;
