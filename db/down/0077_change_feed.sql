-- down: which records changed in the last day, as live pages read it
drop trigger importrun_added on importrun;
drop trigger importrun_changed on importrun;
drop function casewright_importrun_changed();

create or replace function casewright_history_compile()
  returns void language plpgsql
as $function$
declare
  part record;
begin
  for part in
    select c.relname as name, pg_get_triggerdef(t.oid) as definition, p.proname as fn
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgname = c.relname || '_history' and p.proname ~ '^casewright_history(_of_|$)'
  loop
    execute casewright_history_text(part.name);
    if part.fn <> 'casewright_history_of_' || part.name then
      execute regexp_replace(replace(part.definition, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER'), 'EXECUTE FUNCTION (public\.)?casewright_history\w*\(', format('EXECUTE FUNCTION casewright_history_of_%s(', part.name));
    end if;
  end loop;
  for part in
    select p.proname as name from pg_proc p where p.pronamespace = 'public'::regnamespace and p.proname like 'casewright\_history\_of\_%'
      and not exists (select from pg_trigger t where t.tgfoid = p.oid)
  loop
    execute format('drop function %I()', part.name);
  end loop;
end $function$;

do $$
declare
  part record;
begin
  for part in
    select c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and t.tgname = c.relname || '_added'
  loop
    execute format('drop trigger %I on %I', part.name || '_added', part.name);
    execute format('drop function %I()', 'casewright_history_of_' || part.name || '_added');
  end loop;
end $$;
drop function casewright_added_text(text);
drop function casewright_forget_foreign_changes();
drop table recordadded;
drop index history_xid_idx;
alter table history drop column xid;
