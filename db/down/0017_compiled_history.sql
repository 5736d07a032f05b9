-- down: history is kept by the slower trigger again; nothing is lost
do $$
declare
  part record;
begin
  for part in
    select pg_get_triggerdef(t.oid) as definition, p.proname as fn from pg_trigger t join pg_proc p on p.oid = t.tgfoid where p.proname like 'casewright\_history\_of\_%'
  loop
    execute regexp_replace(replace(part.definition, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER'), 'EXECUTE FUNCTION (public\.)?casewright_history_of_\w+\(', 'EXECUTE FUNCTION casewright_history(');
    execute format('drop function %I()', part.fn);
  end loop;
end $$;
drop function casewright_history_compile();
drop function casewright_history_text(text);
