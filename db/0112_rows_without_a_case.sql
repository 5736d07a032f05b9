-- A row that names a type of case but no case changes none, as before what is added was noted once for each statement.
create or replace function casewright_cases_added_to()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  noted bigint;
  number bigint;
begin
  with changed as (
    insert into casechange (processid)
      select distinct c.processid
      from (
        select a.objectid as processid from added a where a.object in ('Foreclosure', 'Bankruptcy')
        union all
        select p.processid from added a join process p on p.loanid = a.objectid where a.object = 'Loan'
      ) c
      where c.processid is not null
        and c.processid::text is distinct from current_setting('casewright.changedcase', true)
      returning processid
  )
  select min(processid), count(*) into noted, number from changed;
  if number = 1 then perform set_config('casewright.changedcase', noted::text, true); end if;
  return null;
end $function$;
