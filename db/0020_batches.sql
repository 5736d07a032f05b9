-- Batches: each row of one is a call that is made on its own, and what came of it.

create table importfilequeue (
  importfilequeueid bigint generated always as identity primary key,
  importfilequeue varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  importfilequeuetype varchar(100) collate casewright_text,
  importfileid bigint references importfile,
  organizationid bigint references organization,
  classname varchar(60) collate casewright_text,
  operation varchar(200) collate casewright_text,
  -- Sealed.
  parameterxml text collate "C",
  queue varchar(100) collate casewright_text,
  queueddate timestamptz,
  successdate timestamptz,
  failuredate timestamptz,
  executecount integer,
  message varchar(10000) collate casewright_text,
  result bigint,
  sourceline integer,
  leaseduntil timestamptz,
  importlogid bigint,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint generated always as (organizationid) stored,
  constraint importfilequeue_outcome_check check (successdate is null or failuredate is null)
);
create index importfilequeue_importfileid_idx on importfilequeue (importfileid);
create index importfilequeue_organizationid_idx on importfilequeue (organizationid);
create index importfilequeue_reach_idx on importfilequeue (reachorganizationid, createddate);
select casewright_open('importfilequeue', 'one');
create view report.importfilequeue with (security_invoker = true) as select importfilequeue.importfilequeueid, importfilequeue.importfilequeue, importfilequeue.status, importfilequeue.importfilequeuetype, importfilequeue.importfileid, importfilequeue.organizationid, importfilequeue.classname, importfilequeue.operation, importfilequeue.queue, importfilequeue.queueddate, importfilequeue.successdate, importfilequeue.failuredate, importfilequeue.executecount, importfilequeue.message, importfilequeue.result, importfilequeue.sourceline, importfilequeue.leaseduntil, importfilequeue.importlogid, importfilequeue.createddate, importfilequeue.createdpersonid, importfilequeue.updateddate, importfilequeue.updatedpersonid, importfilequeue.version from importfilequeue;
select casewright_report('importfilequeue', 'importfilequeueid, importfilequeue, status, importfilequeuetype, importfileid, organizationid, classname, operation, queue, queueddate, successdate, failuredate, executecount, message, result, sourceline, leaseduntil, importlogid, createddate, createdpersonid, updateddate, updatedpersonid, version');

-- The next row of a queue, and whether any is left: quick at the end of a million rows as at their beginning.
create index importfilequeue_unfinished_idx on importfilequeue (importfileid, queue, importfilequeueid) where successdate is null and failuredate is null;
create index importfilequeue_createddate_idx on importfilequeue using brin (createddate);
-- How many have failed, which may be too many.
create index importfilequeue_failed_idx on importfilequeue (importfileid) where failuredate is not null;
