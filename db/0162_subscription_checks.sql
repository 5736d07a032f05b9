-- When the gateway is queried for the outcome of a subscription.
alter table paymentsubscription
  add column nextcheck timestamptz,
  add column checks integer;
create or replace trigger paymentsubscription_history after update or delete on paymentsubscription for each row
  execute function casewright_history('checks', 'nextcheck');
update paymentsubscription set nextcheck = now(), checks = 0
  where status in ('Requested', 'Unknown') and gatewaysubscriptionid is null;
-- online: people start subscriptions meanwhile
create index concurrently if not exists paymentsubscription_nextcheck_idx on paymentsubscription (nextcheck)
  where nextcheck is not null;
