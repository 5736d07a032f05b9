-- Cards and bank accounts that are stored on a gateway's own page, and when their outcome is queried.
alter table paymentmethod
  add column returnhash varchar(64) collate "C",
  add column checks integer,
  add column nextcheck timestamptz;
create or replace trigger paymentmethod_history after update or delete on paymentmethod for each row
  execute function casewright_history('returnhash', 'checks', 'nextcheck');
-- Methods that a process left between its request and the answer.
update paymentmethod set nextcheck = now(), checks = 0 where status = 'Requested';

-- Pages of test gateways.
alter table testgatewayobject drop constraint testgatewayobject_kind_check;
alter table testgatewayobject add constraint testgatewayobject_kind_check
  check (kind in ('customer', 'method', 'vaulting', 'payment', 'refund', 'subscription', 'dispute'));
