-- down: which servers check the senders of emails
do $$
declare
  definition text;
begin
  if to_regclass('report.mailinbound') is not null then
    definition := regexp_replace(pg_get_viewdef('report.mailinbound'::regclass),
      ',\s+(\w+\.)?(checkingservers|sendercheckssince)(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
    drop view report.mailinbound;
    execute 'create view report.mailinbound with (security_invoker = true) as ' || definition;
    grant select on report.mailinbound to casewright_report, casewright_report_all;
  end if;
end $$;
create or replace trigger mailinbound_history after update or delete on mailinbound for each row
  execute function casewright_history('password', 'secrets', 'state', 'lastlook', 'lastsuccess', 'lasterror', 'behind',
    'uidvalidity', 'lastuid');
alter table mailinbound drop column checkingservers, drop column sendercheckssince;
