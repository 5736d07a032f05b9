-- down: the links between records, and their history
drop view report.objectlink;
do $$
declare
  found record;
begin
  for found in select tgname, tgrelid::regclass as tablename from pg_trigger where tgfoid = 'casewright_reach_links'::regproc loop
    execute format('drop trigger %I on %s', found.tgname, found.tablename);
  end loop;
end $$;
create or replace function casewright_open(tablename text, reach text) returns void language plpgsql as $$
declare
  condition text := case reach
    when 'one' then 'reachorganizationid = current_setting(''casewright.firm'')::bigint'
    when 'many' then 'reachorganizationid @> array[current_setting(''casewright.firm'')::bigint]'
    else 'true' end;
begin
  execute format('alter table %I enable row level security', tablename);
  if reach in ('one', 'many') then
    execute format('grant select, insert, update, delete on %I to casewright_reach', tablename);
    execute format('create policy reach on %I to casewright_reach using (%s) with check (%s)', tablename, condition, condition);
    execute format('create policy report on %I for select to casewright_report using (%s)', tablename, condition);
    execute format('create policy report_all on %I for select to casewright_report_all using (true)', tablename);
  elsif reach = 'configuration' then
    execute format('grant select on %I to casewright_reach', tablename);
    execute format('create policy reach on %I for select to casewright_reach, casewright_report, casewright_report_all using (true)', tablename);
  end if;
end $$;
drop table objectlink;
drop function casewright_links_follow(text);
drop function casewright_reach_links();
drop function casewright_reach_objectlink();
drop function casewright_reach_of(text, bigint);
delete from objectsubscription where object = 'ObjectLink';
delete from history where tablename = 'objectlink';
