-- One function decides which firm sees a payer, a payment or a part of one. Approved time entries store their side.

create or replace function casewright_reach_payment()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  -- As a document, because no table has all of these columns.
  own jsonb := to_jsonb(new) - (tg_table_name || 'id');
begin
  new.reachorganizationid := case
    when own ->> 'paymentid' is not null then
      (select reachorganizationid from payment where paymentid = (own ->> 'paymentid')::bigint)
    when own ->> 'ledgerid' is not null then
      (select reachorganizationid from ledger where ledgerid = (own ->> 'ledgerid')::bigint)
    when own ->> 'paymentmethodid' is not null then
      (select reachorganizationid from paymentmethod where paymentmethodid = (own ->> 'paymentmethodid')::bigint)
    -- Only of these a trigger below notes a change of firms.
    when own ->> 'object' in ('Foreclosure', 'Bankruptcy', 'Loan', 'Property', 'Contact', 'Organization') then
      casewright_reach_child(own ->> 'object', (own ->> 'objectid')::bigint, null, false, new.createdpersonid)
  end;
  return new;
end $function$;

drop trigger paymentcustomer_reach on paymentcustomer;
drop trigger paymentmethod_reach on paymentmethod;
drop trigger paymentsubscription_reach on paymentsubscription;
drop trigger paymentrefund_reach on paymentrefund;
drop trigger paymentdispute_reach on paymentdispute;
create trigger paymentcustomer_reach before insert or update of object, objectid, reachorganizationid on paymentcustomer
  for each row execute function casewright_reach_payment();
create trigger paymentmethod_reach before insert or update of object, objectid, reachorganizationid on paymentmethod
  for each row execute function casewright_reach_payment();
create trigger paymentsubscription_reach before insert or update of ledgerid, paymentmethodid, reachorganizationid
  on paymentsubscription for each row execute function casewright_reach_payment();
create trigger paymentrefund_reach before insert or update of paymentid, reachorganizationid on paymentrefund
  for each row execute function casewright_reach_payment();
create trigger paymentdispute_reach before insert or update of paymentid, reachorganizationid on paymentdispute
  for each row execute function casewright_reach_payment();
drop function casewright_reach_payer();
drop function casewright_reach_payer_of(text, bigint, bigint);
drop function casewright_reach_paymentsubscription();
drop function casewright_reach_paymentpart();

-- Passes a change of a record's firm on to its payments. The record's type is that of its table, or its RecordClass.
create or replace function casewright_reach_payments()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  parent jsonb := to_jsonb(new);
  parentid bigint := (parent ->> (tg_table_name || 'id'))::bigint;
  class text := coalesce(parent ->> 'recordclass', tg_argv[0]);
begin
  case tg_table_name
    when 'ledger' then
      update payment set reachorganizationid = null where ledgerid = parentid;
      update paymentsubscription set reachorganizationid = null where ledgerid = parentid;
    when 'paymentmethod' then
      update payment set reachorganizationid = null where paymentmethodid = parentid and ledgerid is null;
      update paymentsubscription set reachorganizationid = null where paymentmethodid = parentid and ledgerid is null;
    when 'payment' then
      update paymentrefund set reachorganizationid = null where paymentid = parentid;
      update paymentdispute set reachorganizationid = null where paymentid = parentid;
    else
      update paymentcustomer set reachorganizationid = null where object = class and objectid = parentid;
      update paymentmethod set reachorganizationid = null where object = class and objectid = parentid;
      update payment set reachorganizationid = null where object = class and objectid = parentid and ledgerid is null;
  end case;
  return null;
end $function$;

update ledgeritem i
set isdebit = coalesce(
    (select t.isdebit from ledgertemplateitem t where t.ledgertemplateitemid = i.ledgertemplateitemid), false),
  updateddate = now(), version = i.version + 1
where i.isdebit is null and i.reviewdate is not null and lower(i.status) = 'approved';
