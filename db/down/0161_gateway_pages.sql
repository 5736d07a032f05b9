-- down: pages of test gateways, and when the outcome of stored cards is queried
delete from testgatewayobject where kind = 'vaulting';
alter table testgatewayobject drop constraint testgatewayobject_kind_check;
alter table testgatewayobject add constraint testgatewayobject_kind_check
  check (kind in ('customer', 'method', 'payment', 'refund', 'subscription', 'dispute'));
do $$
declare
  definition text;
begin
  if to_regclass('report.paymentmethod') is not null then
    definition := regexp_replace(pg_get_viewdef('report.paymentmethod'::regclass),
      ',\s+(\w+\.)?(returnhash|checks|nextcheck)(\s+AS\s+\S+?)?(?=,|\s+FROM)', '', 'gi');
    drop view report.paymentmethod;
    execute 'create view report.paymentmethod with (security_invoker = true) as ' || definition;
    grant select on report.paymentmethod to casewright_report, casewright_report_all;
  end if;
end $$;
create or replace trigger paymentmethod_history after update or delete on paymentmethod for each row
  execute function casewright_history();
alter table paymentmethod drop column returnhash, drop column checks, drop column nextcheck;
