-- QueueRetry: All dead letters of one cause, put back into their queues a few at a time.

create table queueretry (
  queueretryid bigint generated always as identity primary key,
  queueretry varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  queueretrytype varchar(100) collate casewright_text,
  operation varchar(200) collate "C",
  errorcode varchar(50) collate "C",
  cause varchar(32) collate "C",
  total integer,
  requeued integer,
  succeeded integer,
  failedagain integer,
  failing integer,
  stopreason varchar(400) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger queueretry_history after update or delete on queueretry for each row execute function casewright_history();
select casewright_open('queueretry', 'none');
alter table queueretry add constraint queueretry_check
  check (total >= 0 and requeued >= 0 and succeeded >= 0 and failedagain >= 0 and failing >= 0);
create index queueretry_started_idx on queueretry (operation) where status = 'Started';

-- The calls of retries that are in their queues and whose outcome has not been counted yet.
create table queueretrycall (
  messageid uuid primary key,
  queueretryid bigint not null references queueretry on delete cascade
);
create index queueretrycall_queueretryid_idx on queueretrycall (queueretryid);
