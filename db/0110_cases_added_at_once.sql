-- What is added to cases is noted once for each statement: an import that adds ten thousand tasks called a function for
-- each, which took a fifth of its time in the database.
create function casewright_cases_added_to()
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
      where c.processid::text is distinct from current_setting('casewright.changedcase', true)
      returning processid
  )
  select min(processid), count(*) into noted, number from changed;
  if number = 1 then perform set_config('casewright.changedcase', noted::text, true); end if;
  return null;
end $function$;

do $$
declare
  class text;
begin
  foreach class in array array['contact', 'decision', 'decisiondelay', 'importform'] loop
    execute format('drop trigger %I on %I', class || '_case_created', class);
    execute format('create trigger %I after insert on %I referencing new table as added for each statement execute function casewright_cases_added_to()',
      class || '_case_created', class);
  end loop;
end $$;
