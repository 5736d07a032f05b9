-- down: when the gateway is queried for the outcome of a subscription
do $$
declare
  definition text;
begin
  if to_regclass('report.paymentsubscription') is not null then
    definition := regexp_replace(pg_get_viewdef('report.paymentsubscription'::regclass),
      ',\s+(\w+\.)?(nextcheck|checks)(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
    drop view report.paymentsubscription;
    execute 'create view report.paymentsubscription with (security_invoker = true) as ' || definition;
    grant select on report.paymentsubscription to casewright_report, casewright_report_all;
  end if;
end $$;
create or replace trigger paymentsubscription_history after update or delete on paymentsubscription for each row
  execute function casewright_history();
alter table paymentsubscription drop column nextcheck, drop column checks;
