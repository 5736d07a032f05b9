-- Mail that goes out: over which servers, what was decided to be sent, and what came of it. Firms and users that register themselves.

create table mailoutbound (
  mailoutboundid bigint generated always as identity primary key,
  mailoutbound varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  mailoutboundtype varchar(100) collate casewright_text,
  description varchar(2000) collate casewright_text,
  sequence integer,
  fromaddress varchar(254) collate "C",
  fromname varchar(255) collate casewright_text,
  host varchar(255) collate "C",
  port integer,
  security varchar(8) collate casewright_text,
  authorities varchar(30000) collate "C",
  username varchar(255) collate "C",
  password varchar(2000) collate "C",
  tokenurl varchar(2000) collate "C",
  clientid varchar(500) collate "C",
  clientsecret varchar(4000) collate "C",
  refreshtoken varchar(8000) collate "C",
  signaturedomain varchar(253) collate "C",
  signatureselector varchar(63) collate "C",
  signaturekey varchar(30000) collate "C",
  connectionsmax integer,
  timeoutseconds integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger mailoutbound_history after update or delete on mailoutbound for each row execute function casewright_history('password', 'clientsecret', 'refreshtoken', 'signaturekey');
select casewright_open('mailoutbound', 'none');

create trigger mailoutbound_configuration after insert or update or delete on mailoutbound for each statement execute function casewright_configuration();
-- Templates and calls name a provider by its name, compared as people type it.
create unique index mailoutbound_mailoutbound_idx on mailoutbound (mailoutbound);

-- One row for each decision to send a mail, written in the transaction that decides it.
create table maildelivery (
  maildeliveryid bigint generated always as identity primary key,
  maildelivery varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  maildeliverytype varchar(100) collate casewright_text,
  provider varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  internetmessageid varchar(255) collate "C",
  mailkey varchar(64) collate "C",
  content text collate "C",
  recipients jsonb,
  attempts integer,
  nextattempt timestamptz,
  retryuntil timestamptz,
  leaseduntil timestamptz,
  databegun timestamptz,
  lastattempt timestamptz,
  sentdate timestamptz,
  lasterror varchar(300) collate "C",
  attemptlog jsonb,
  correlationid varchar(64) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  constraint maildelivery_status_check check (status in ('Waiting', 'Sending', 'Sent', 'Partly', 'Failed', 'Unknown', 'Canceled'))
);
select casewright_open('maildelivery', 'none');

-- One decision is one mail, however often its call is repeated.
create unique index maildelivery_mailkey_idx on maildelivery (mailkey);
create index maildelivery_object_idx on maildelivery (objectid, object);
create index maildelivery_createddate_idx on maildelivery (createddate);
-- What is to be sent or being sent: few, however many were sent before.
create index maildelivery_open_idx on maildelivery (nextattempt, leaseduntil) where status in ('Waiting', 'Sending');

-- A registration that waits to be confirmed. The token that confirms it is in the mail alone.
create table registration (
  registrationid bigint generated always as identity primary key,
  tokenhash bytea not null,
  -- Organization: it comes with an organization of its own. User: it joins one that there is.
  kind varchar(12) not null check (kind in ('Organization', 'User')),
  personid bigint not null references person on delete cascade,
  organizationid bigint not null references organization on delete cascade,
  -- What the one who confirms by this token chose; others may wait for the same address.
  passwordhash varchar(255) collate "C" not null,
  firstname varchar(100) collate casewright_text,
  lastname varchar(100) collate casewright_text,
  process varchar(100) collate casewright_text,
  expires timestamptz not null,
  createddate timestamptz not null
);
create unique index registration_tokenhash_idx on registration (tokenhash);
create index registration_personid_idx on registration (personid);
create index registration_organizationid_idx on registration (organizationid);
create index registration_expires_idx on registration (expires);

-- The code by which users register on an organization. The hash finds it; sealed it can be shown again.
create table organizationlookup (
  organizationid bigint primary key references organization on delete cascade,
  codehash bytea not null,
  code varchar(500) collate "C" not null,
  createddate timestamptz not null,
  createdpersonid bigint
);
create unique index organizationlookup_codehash_idx on organizationlookup (codehash);

-- Recurring calls on an organization's behalf. What recurs is in the queue; this says whose it is, and what it was made from.
create table organizationschedule (
  organizationscheduleid bigint generated always as identity primary key,
  -- Emptied where they are deleted: whoever cleans up must still find the call in the queue.
  organizationid bigint references organization on delete set null,
  personid bigint references person on delete set null,
  -- The first message of the recurring call; null once it was stopped.
  scheduleid uuid,
  schedulename varchar(200) collate "C" not null,
  signature varchar(20000) collate "C" not null,
  stoppeddate timestamptz,
  stoppedreason varchar(300) collate "C",
  createddate timestamptz not null,
  createdpersonid bigint
);
create index organizationschedule_organizationid_idx on organizationschedule (organizationid);
create index organizationschedule_personid_idx on organizationschedule (personid);
