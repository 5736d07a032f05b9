-- down: whether senders of messages are genuine
do $$
declare
  dropped record;
  definition text;
begin
  for dropped in
    select * from (values
      ('message', '(senderproof|senderdetail|dkim|spf|dmarc)'),
      ('mailinbound', '(authenticationserver|senderproof)'))
      as d (tablename, columnnames)
  loop
    if to_regclass('report.' || dropped.tablename) is not null then
      definition := regexp_replace(pg_get_viewdef(('report.' || dropped.tablename)::regclass),
        ',\s+(\w+\.)?' || dropped.columnnames || '(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
      execute format('drop view report.%I', dropped.tablename);
      execute format('create view report.%I with (security_invoker = true) as %s', dropped.tablename, definition);
      execute format('grant select on report.%I to casewright_report, casewright_report_all', dropped.tablename);
    end if;
  end loop;
end $$;
alter table mailinbound drop column authenticationserver, drop column senderproof;
alter table message drop column senderproof, drop column senderdetail, drop column dkim, drop column spf,
  drop column dmarc;
