-- down: payment gateways, and what test gateways have stored
drop table testgatewayrequest;
drop table testgatewayobject;
drop view if exists report.paymentprovider;
drop table paymentprovider;
update role
set permissions = btrim(replace(' ' || (permissions collate "C") || ' ', ' -PaymentProvider* ', ' ')),
  updateddate = now(), version = version + 1
where strpos(' ' || (permissions collate "C") || ' ', ' -PaymentProvider* ') > 0;
