-- Payments through gateways: who pays, with which stored method, each payment with its outcome, refunds, subscriptions,
-- disputes, events that gateways reported, and differences between their records and ours.

create table paymentcustomer (
  paymentcustomerid bigint generated always as identity primary key,
  paymentcustomer varchar(255) collate casewright_text,
  status varchar(8) collate casewright_text,
  paymentcustomertype varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  paymentproviderid bigint,
  name varchar(255) collate casewright_text not null,
  email varchar(254) collate "C",
  telephone varchar(40) collate casewright_text,
  street varchar(255) collate casewright_text,
  street2 varchar(255) collate casewright_text,
  city varchar(100) collate casewright_text,
  state varchar(50) collate casewright_text,
  postalcode varchar(20) collate casewright_text,
  country varchar(2) collate "C",
  gatewaycustomerid varchar(255) collate "C",
  customerkey varchar(36) collate "C",
  detail varchar(300) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint,
  custom jsonb check (jsonb_typeof(custom) = 'object'),
  check (status in ('New', 'Waiting', 'Current', 'Removing', 'Removed'))
);
create unique index paymentcustomer_gatewaycustomerid_key on paymentcustomer (paymentproviderid, gatewaycustomerid);
create index paymentcustomer_object_idx on paymentcustomer (objectid, object);
create index paymentcustomer_reach_idx on paymentcustomer (reachorganizationid, createddate);
create trigger paymentcustomer_history after update or delete on paymentcustomer for each row
  execute function casewright_history();
select casewright_open('paymentcustomer', 'one');

create table paymentmethod (
  paymentmethodid bigint generated always as identity primary key,
  paymentmethod varchar(255) collate casewright_text,
  status varchar(9) collate casewright_text not null,
  paymentmethodtype varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  paymentcustomerid bigint not null references paymentcustomer,
  paymentproviderid bigint,
  kind varchar(4) collate casewright_text,
  brand varchar(60) collate casewright_text,
  lastfour varchar(4) collate "C",
  expirymonth integer,
  expiryyear integer,
  gatewaymethodid varchar(255) collate "C",
  vaultkey varchar(36) collate "C" not null,
  gatewayreference varchar(255) collate "C",
  detail varchar(300) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint,
  custom jsonb check (jsonb_typeof(custom) = 'object'),
  check (status in ('Requested', 'Active', 'Inactive', 'Expired', 'Removed', 'Failed')),
  check (status not in ('Active', 'Inactive') or gatewaymethodid is not null)
);
create unique index paymentmethod_gatewaymethodid_key on paymentmethod (paymentproviderid, gatewaymethodid);
-- A record is charged through at most one method.
create unique index paymentmethod_active_key on paymentmethod (objectid, object) where status = 'Active';
create unique index paymentmethod_vaultkey_key on paymentmethod (vaultkey);
create index paymentmethod_object_idx on paymentmethod (objectid, object);
create index paymentmethod_paymentcustomerid_idx on paymentmethod (paymentcustomerid);
create index paymentmethod_requested_idx on paymentmethod (updateddate) where status = 'Requested';
create index paymentmethod_reach_idx on paymentmethod (reachorganizationid, createddate);
create trigger paymentmethod_history after update or delete on paymentmethod for each row
  execute function casewright_history();
select casewright_open('paymentmethod', 'one');

create table paymentsubscription (
  paymentsubscriptionid bigint generated always as identity primary key,
  paymentsubscription varchar(255) collate casewright_text,
  status varchar(9) collate casewright_text not null,
  paymentsubscriptiontype varchar(100) collate casewright_text,
  paymentmethodid bigint not null references paymentmethod,
  ledgerid bigint references ledger,
  paymentproviderid bigint,
  amount numeric(19,4) not null,
  currency varchar(3) collate "C" not null,
  every varchar(5) collate casewright_text not null,
  subscriptionkey varchar(36) collate "C" not null,
  gatewaysubscriptionid varchar(255) collate "C",
  nextcharge timestamptz,
  requesteddate timestamptz,
  canceleddate timestamptz,
  detail varchar(300) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint,
  custom jsonb check (jsonb_typeof(custom) = 'object'),
  check (status in ('Requested', 'Active', 'Late', 'Canceled', 'Unknown')),
  check (amount > 0)
);
create unique index paymentsubscription_gatewaysubscriptionid_key on paymentsubscription
  (paymentproviderid, gatewaysubscriptionid);
create unique index paymentsubscription_subscriptionkey_key on paymentsubscription (subscriptionkey);
create index paymentsubscription_ledgerid_idx on paymentsubscription (ledgerid);
create index paymentsubscription_paymentmethodid_idx on paymentsubscription (paymentmethodid);
create index paymentsubscription_reach_idx on paymentsubscription (reachorganizationid, createddate);
create trigger paymentsubscription_history after update or delete on paymentsubscription for each row
  execute function casewright_history();
select casewright_open('paymentsubscription', 'one');

create table payment (
  paymentid bigint generated always as identity primary key,
  payment varchar(255) collate casewright_text,
  status varchar(13) collate casewright_text not null,
  paymenttype varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  ledgerid bigint references ledger,
  ledgeritemid bigint references ledgeritem,
  paymentmethodid bigint references paymentmethod,
  paymentsubscriptionid bigint references paymentsubscription,
  paymentproviderid bigint,
  purpose varchar(19) collate casewright_text not null,
  amount numeric(19,4) not null,
  currency varchar(3) collate "C" not null,
  capturedamount numeric(19,4),
  refundedamount numeric(19,4),
  paymentkey varchar(36) collate "C" not null,
  gatewaypaymentid varchar(255) collate "C",
  declinecode varchar(100) collate "C",
  detail varchar(300) collate "C",
  pendingaction varchar(7) collate casewright_text,
  pendingamount numeric(19,4),
  requesteddate timestamptz not null,
  settleddate timestamptz,
  nextcheck timestamptz,
  checks integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint,
  custom jsonb check (jsonb_typeof(custom) = 'object'),
  check (status in ('Requested', 'Authorized', 'Captured', 'Pending', 'Declined', 'Voided', 'Unknown', 'NotCarriedOut')),
  check (amount > 0),
  check (capturedamount >= 0 and refundedamount >= 0),
  check (status not in ('Authorized', 'Captured', 'Pending', 'Voided') or gatewaypaymentid is not null),
  check (pendingaction is null or status in ('Authorized', 'Unknown'))
);
create unique index payment_gatewaypaymentid_key on payment (paymentproviderid, gatewaypaymentid);
create unique index payment_paymentkey_key on payment (paymentkey);
-- A ledger has at most one payment whose outcome is open, so that two callers at the same moment charge it once.
create unique index payment_open_key on payment (ledgerid)
  where status in ('Requested', 'Unknown', 'Pending', 'Authorized');
create index payment_ledgerid_idx on payment (ledgerid);
create index payment_ledgeritemid_idx on payment (ledgeritemid);
create index payment_object_idx on payment (objectid, object);
create index payment_paymentmethodid_idx on payment (paymentmethodid);
create index payment_paymentsubscriptionid_idx on payment (paymentsubscriptionid);
create index payment_nextcheck_idx on payment (nextcheck) where nextcheck is not null;
create index payment_period_idx on payment (paymentproviderid, requesteddate);
create index payment_reach_idx on payment (reachorganizationid, createddate);
create trigger payment_history after update or delete on payment for each row
  execute function casewright_history();
select casewright_open('payment', 'one');

create table paymentrefund (
  paymentrefundid bigint generated always as identity primary key,
  paymentrefund varchar(255) collate casewright_text,
  status varchar(13) collate casewright_text not null,
  paymentrefundtype varchar(100) collate casewright_text,
  paymentid bigint not null references payment,
  amount numeric(19,4) not null,
  currency varchar(3) collate "C" not null,
  reason varchar(4000) collate casewright_text,
  refundkey varchar(36) collate "C" not null,
  gatewayrefundid varchar(255) collate "C",
  ledgeritemid bigint references ledgeritem,
  detail varchar(300) collate "C",
  requesteddate timestamptz,
  settleddate timestamptz,
  nextcheck timestamptz,
  checks integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint,
  custom jsonb check (jsonb_typeof(custom) = 'object'),
  check (status in ('Requested', 'Succeeded', 'Pending', 'Failed', 'Unknown', 'NotCarriedOut')),
  check (amount > 0)
);
create unique index paymentrefund_refundkey_key on paymentrefund (refundkey);
create unique index paymentrefund_gatewayrefundid_key on paymentrefund (paymentid, gatewayrefundid);
-- One refund of a payment at a time: what is left to pay back is known only once each has an outcome.
create unique index paymentrefund_open_key on paymentrefund (paymentid) where status in ('Requested', 'Unknown');
create index paymentrefund_ledgeritemid_idx on paymentrefund (ledgeritemid);
create index paymentrefund_nextcheck_idx on paymentrefund (nextcheck) where nextcheck is not null;
create index paymentrefund_reach_idx on paymentrefund (reachorganizationid, createddate);
create trigger paymentrefund_history after update or delete on paymentrefund for each row
  execute function casewright_history();
select casewright_open('paymentrefund', 'one');

create table paymentdispute (
  paymentdisputeid bigint generated always as identity primary key,
  paymentdispute varchar(255) collate casewright_text,
  status varchar(4) collate casewright_text not null,
  paymentdisputetype varchar(100) collate casewright_text,
  paymentid bigint not null references payment,
  paymentproviderid bigint,
  gatewaydisputeid varchar(255) collate "C" not null,
  amount numeric(19,4) not null,
  currency varchar(3) collate "C" not null,
  reason varchar(100) collate "C",
  answerby timestamptz,
  openeddate timestamptz,
  closeddate timestamptz,
  ledgeritemid bigint references ledgeritem,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint,
  custom jsonb check (jsonb_typeof(custom) = 'object'),
  check (status in ('Open', 'Won', 'Lost'))
);
create unique index paymentdispute_gatewaydisputeid_key on paymentdispute (paymentproviderid, gatewaydisputeid);
create index paymentdispute_ledgeritemid_idx on paymentdispute (ledgeritemid);
create index paymentdispute_paymentid_idx on paymentdispute (paymentid);
create index paymentdispute_reach_idx on paymentdispute (reachorganizationid, createddate);
create trigger paymentdispute_history after update or delete on paymentdispute for each row
  execute function casewright_history();
select casewright_open('paymentdispute', 'one');

create table paymentevent (
  paymenteventid bigint generated always as identity primary key,
  paymentevent varchar(255) collate casewright_text,
  status varchar(9) collate casewright_text not null,
  paymenteventtype varchar(100) collate casewright_text,
  paymentproviderid bigint,
  gatewayeventid varchar(255) collate "C" not null,
  objectkind varchar(12) collate casewright_text,
  gatewayobjectid varchar(255) collate "C",
  paymentid bigint references payment,
  created timestamptz,
  receiveddate timestamptz,
  reason varchar(300) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  check (status in ('Received', 'Processed', 'Ignored', 'Failed'))
);
-- A gateway delivers an event more than once; it is processed once.
create unique index paymentevent_gatewayeventid_key on paymentevent (paymentproviderid, gatewayeventid);
create index paymentevent_paymentid_idx on paymentevent (paymentid);
create index paymentevent_receiveddate_idx on paymentevent (receiveddate);
select casewright_open('paymentevent', 'none');

create table paymentdifference (
  paymentdifferenceid bigint generated always as identity primary key,
  paymentdifference varchar(255) collate casewright_text,
  status varchar(8) collate casewright_text not null,
  paymentdifferencetype varchar(100) collate casewright_text,
  paymentproviderid bigint,
  day date not null,
  kind varchar(16) collate casewright_text not null,
  gatewayid varchar(255) collate "C",
  paymentid bigint references payment,
  ours varchar(255) collate "C",
  theirs varchar(255) collate "C",
  resolveddate timestamptz,
  resolvedpersonid bigint,
  note varchar(4000) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  check (status in ('Open', 'Resolved'))
);
-- Two reconciliations of the same days find a difference once.
create unique index paymentdifference_difference_key on paymentdifference
  (paymentproviderid, day, kind, gatewayid, paymentid) nulls not distinct;
create index paymentdifference_open_idx on paymentdifference (day) where status = 'Open';
create index paymentdifference_paymentid_idx on paymentdifference (paymentid);
select casewright_open('paymentdifference', 'none');

-- Who pays, and with what, is visible to the firm that created it, if it sees the record that it belongs to.
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
create function casewright_reach_payment()
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
create trigger payment_reach before insert or update of ledgerid, paymentmethodid, object, objectid, reachorganizationid
  on payment for each row execute function casewright_reach_payment();
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
create function casewright_reach_payments()
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
create trigger foreclosure_reach_payments after update on foreclosure for each row
  when (new.reachorganizationid is distinct from old.reachorganizationid)
  execute function casewright_reach_payments('Foreclosure');
create trigger bankruptcy_reach_payments after update on bankruptcy for each row
  when (new.reachorganizationid is distinct from old.reachorganizationid)
  execute function casewright_reach_payments('Bankruptcy');
create trigger loan_reach_payments after update on loan for each row
  when (new.reachorganizationid is distinct from old.reachorganizationid)
  execute function casewright_reach_payments('Loan');
create trigger property_reach_payments after update on property for each row
  when (new.reachorganizationid is distinct from old.reachorganizationid)
  execute function casewright_reach_payments('Property');
create trigger contact_reach_payments after update on contact for each row
  when (new.reachorganizationid is distinct from old.reachorganizationid)
  execute function casewright_reach_payments('Contact');
create trigger ledger_reach_payments after update on ledger for each row
  when (new.reachorganizationid is distinct from old.reachorganizationid)
  execute function casewright_reach_payments('Ledger');
create trigger paymentmethod_reach_payments after update on paymentmethod for each row
  when (new.reachorganizationid is distinct from old.reachorganizationid)
  execute function casewright_reach_payments('PaymentMethod');
create trigger payment_reach_payments after update on payment for each row
  when (new.reachorganizationid is distinct from old.reachorganizationid)
  execute function casewright_reach_payments('Payment');

update role
set permissions = btrim(replace(' ' || (permissions collate "C") || ' ', ' -MailHouse* ',
    ' -MailHouse* -PaymentEvent* ')),
  updateddate = now(), version = version + 1
where strpos(' ' || (permissions collate "C") || ' ', ' -MailHouse* ') > 0
  and strpos(permissions collate "C", '-PaymentEvent*') = 0;
