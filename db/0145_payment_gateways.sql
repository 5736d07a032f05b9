-- PaymentProvider: A payment gateway, which stores cards and bank accounts and charges them.

create table paymentprovider (
  paymentproviderid bigint generated always as identity primary key,
  paymentprovider varchar(100) collate casewright_text not null,
  status varchar(100) collate casewright_text,
  paymentprovidertype varchar(100) collate casewright_text,
  description varchar(2000) collate casewright_text,
  sequence integer,
  active boolean,
  apikey varchar(4000) collate "C",
  webhooksecret varchar(1000) collate "C",
  baseurl varchar(2000) collate "C",
  timeoutseconds integer,
  options varchar(10000) collate "C",
  secrets varchar(30000) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger paymentprovider_history after update or delete on paymentprovider for each row execute function casewright_history('apikey', 'webhooksecret', 'secrets');
create unique index paymentprovider_paymentprovider_key on paymentprovider (paymentprovider);
select casewright_open('paymentprovider', 'none');
create trigger paymentprovider_configuration after insert or update or delete on paymentprovider for each statement execute function casewright_configuration();

-- What test gateways have stored: customers, methods, payments, refunds, subscriptions and disputes.
create table testgatewayobject (
  paymentproviderid bigint not null references paymentprovider on delete cascade,
  id varchar(60) collate "C" not null,
  kind varchar(20) collate "C" not null
    check (kind in ('customer', 'method', 'payment', 'refund', 'subscription', 'dispute')),
  -- The customer of a method, payment or subscription; the payment of a refund or dispute.
  parentid varchar(60) collate "C",
  -- The key of the request that created it.
  requestkey varchar(200) collate "C",
  createddate timestamptz not null,
  state jsonb not null,
  primary key (paymentproviderid, id)
);
create index testgatewayobject_createddate_idx on testgatewayobject (paymentproviderid, kind, createddate, id);
create index testgatewayobject_parentid_idx on testgatewayobject (paymentproviderid, parentid);
create index testgatewayobject_requestkey_idx on testgatewayobject (paymentproviderid, requestkey);

-- Requests under a key, each with the answer that a repeated one gets.
create table testgatewayrequest (
  paymentproviderid bigint not null references paymentprovider on delete cascade,
  requestkey varchar(200) collate "C" not null,
  requesthash varchar(64) collate "C" not null,
  answer jsonb,
  createddate timestamptz not null,
  primary key (paymentproviderid, requestkey)
);
-- Only the platform reads them.
alter table testgatewayobject enable row level security;
alter table testgatewayrequest enable row level security;

-- Roles that leave administration to administrators leave payment gateways to them too. Inserted where a new
-- installation has them, so that an unchanged role equals its definition.
update role
set permissions = btrim(replace(' ' || (permissions collate "C") || ' ', ' -PaymentEvent* ',
    ' -PaymentEvent* -PaymentProvider* ')),
  updateddate = now(), version = version + 1
where strpos(' ' || (permissions collate "C") || ' ', ' -PaymentEvent* ') > 0
  and strpos(permissions collate "C", '-PaymentProvider*') = 0;
