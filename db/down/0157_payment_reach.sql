-- down: one function for the visibility of payments; approved time entries keep their stored sides
drop trigger paymentcustomer_reach on paymentcustomer;
drop trigger paymentmethod_reach on paymentmethod;
drop trigger paymentsubscription_reach on paymentsubscription;
drop trigger paymentrefund_reach on paymentrefund;
drop trigger paymentdispute_reach on paymentdispute;
create function casewright_reach_payer()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := casewright_reach_payer_of(new.object, new.objectid, new.createdpersonid);
  return new;
end $function$;
create function casewright_reach_payer_of(parent text, parentid bigint, madeby bigint)
  returns bigint language sql stable security definer set search_path to 'public', 'pg_temp'
as $function$
  -- Only of these the triggers below note a change of firms.
  select case when parent in ('Foreclosure', 'Bankruptcy', 'Loan', 'Property', 'Contact', 'Organization')
    then casewright_reach_child(parent, parentid, null, false, madeby) end
$function$;
create trigger paymentcustomer_reach before insert or update of object, objectid, reachorganizationid on paymentcustomer
  for each row execute function casewright_reach_payer();
create trigger paymentmethod_reach before insert or update of object, objectid, reachorganizationid on paymentmethod
  for each row execute function casewright_reach_payer();

-- A payment, or a subscription, is visible to the firm that sees its ledger; without one, its method or record.
create or replace function casewright_reach_payment()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := case
    when new.ledgerid is not null then (select reachorganizationid from ledger where ledgerid = new.ledgerid)
    when new.paymentmethodid is not null then
      (select reachorganizationid from paymentmethod where paymentmethodid = new.paymentmethodid)
    else casewright_reach_payer_of(new.object, new.objectid, new.createdpersonid) end;
  return new;
end $function$;
create function casewright_reach_paymentsubscription()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := case
    when new.ledgerid is not null then (select reachorganizationid from ledger where ledgerid = new.ledgerid)
    else (select reachorganizationid from paymentmethod where paymentmethodid = new.paymentmethodid) end;
  return new;
end $function$;
create trigger paymentsubscription_reach before insert or update of ledgerid, paymentmethodid, reachorganizationid
  on paymentsubscription for each row execute function casewright_reach_paymentsubscription();

create function casewright_reach_paymentpart()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := (select reachorganizationid from payment where paymentid = new.paymentid);
  return new;
end $function$;
create trigger paymentrefund_reach before insert or update of paymentid, reachorganizationid on paymentrefund
  for each row execute function casewright_reach_paymentpart();
create trigger paymentdispute_reach before insert or update of paymentid, reachorganizationid on paymentdispute
  for each row execute function casewright_reach_paymentpart();

-- Passes a change of a record's firm on to its payments.
create or replace function casewright_reach_payments()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  class text := tg_argv[0];
  parentid bigint := (to_jsonb(new) ->> (tg_table_name || 'id'))::bigint;
begin
  case class
    when 'Ledger' then
      update payment set reachorganizationid = null where ledgerid = parentid;
      update paymentsubscription set reachorganizationid = null where ledgerid = parentid;
    when 'PaymentMethod' then
      update payment set reachorganizationid = null where paymentmethodid = parentid and ledgerid is null;
      update paymentsubscription set reachorganizationid = null where paymentmethodid = parentid and ledgerid is null;
    when 'Payment' then
      update paymentrefund set reachorganizationid = null where paymentid = parentid;
      update paymentdispute set reachorganizationid = null where paymentid = parentid;
    else
      update paymentcustomer set reachorganizationid = null where object = class and objectid = parentid;
      update paymentmethod set reachorganizationid = null where object = class and objectid = parentid;
      update payment set reachorganizationid = null where object = class and objectid = parentid and ledgerid is null;
  end case;
  return null;
end $function$;
