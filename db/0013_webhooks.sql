-- Webhooks: who outside is told of changes of records, what is to be sent, and what came of it.

create table webhook (
  webhookid bigint generated always as identity primary key,
  webhook varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  webhooktype varchar(100) collate casewright_text,
  url varchar(2000) collate "C" not null,
  events varchar(4000) collate casewright_text not null,
  columns varchar(4000) collate casewright_text,
  fields varchar(4000) collate casewright_text,
  organizationid bigint references organization,
  isactive boolean,
  headers varchar(20000) collate "C",
  headernames varchar(2000) collate "C",
  secret varchar(500) collate "C",
  secretdate timestamptz,
  previoussecret varchar(500) collate "C",
  previoussecretuntil timestamptz,
  disableddate timestamptz,
  disabledreason varchar(300) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index webhook_organizationid_idx on webhook (organizationid);
create trigger webhook_history after update or delete on webhook for each row execute function casewright_history('headers', 'secret', 'previoussecret');
select casewright_open('webhook', 'none');

create trigger webhook_configuration after insert or update or delete on webhook for each statement execute function casewright_configuration();

-- Written in the transaction of each change that a webhook hears of. No foreign key to the webhook: every writer would share a lock on its
-- row, and a webhook that is being deleted would fail their changes.
create table webhookdelivery (
  webhookdeliveryid bigint generated always as identity primary key,
  webhookdelivery varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  webhookdeliverytype varchar(100) collate casewright_text,
  webhookid bigint,
  eventid varchar(40) collate "C",
  eventdate timestamptz,
  object varchar(60) collate "C",
  objectid bigint,
  recordversion integer,
  data text collate "C",
  correlationid varchar(64) collate "C",
  attempts integer,
  nextattempt timestamptz,
  retryuntil timestamptz,
  leaseduntil timestamptz,
  lastattempt timestamptz,
  delivereddate timestamptz,
  replayeddate timestamptz,
  responsecode integer,
  durationmilliseconds integer,
  lasterror varchar(100) collate "C",
  responsestart varchar(500) collate "C",
  attemptlog jsonb,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
select casewright_open('webhookdelivery', 'none');

create unique index webhookdelivery_event_idx on webhookdelivery (eventid, webhookid);
create index webhookdelivery_createddate_idx on webhookdelivery (createddate);
-- What is to be sent next, and what is being sent: both small however many were sent before.
create index webhookdelivery_waiting_idx on webhookdelivery (webhookid, nextattempt, webhookdeliveryid) where status = 'Waiting';
create index webhookdelivery_sending_idx on webhookdelivery (webhookid, leaseduntil) where status = 'Sending';

-- How sending goes, one row for each webhook. Its lock decides who takes the next delivery. Apart from the webhook's own row, whose every
-- change tells all processes that configuration changed.
create table webhookstate (
  webhookid bigint primary key references webhook on delete cascade,
  failures integer not null default 0,
  failingsince timestamptz,
  helduntil timestamptz,
  -- When the queued call that goes on with what waits is due; earlier than now: there is none.
  wakeat timestamptz
);
