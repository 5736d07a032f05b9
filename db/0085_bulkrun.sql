-- BulkRun: A change of many records at once: one call for each of them, with its result.

create table bulkrun (
  bulkrunid bigint generated always as identity primary key,
  bulkrun varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  bulkruntype varchar(100) collate casewright_text,
  recordtype varchar(60) collate "C",
  signature varchar(20000) collate "C",
  undosignature varchar(2000) collate "C",
  importfileid bigint,
  undonerunid bigint,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index bulkrun_importfileid_idx on bulkrun (importfileid);
create unique index bulkrun_undonerunid_key on bulkrun (undonerunid);
create trigger bulkrun_history after update or delete on bulkrun for each row execute function casewright_history();
select casewright_open('bulkrun', 'none');

-- By which a bulk change is undone: the call as the history of the changed record names it.
alter table importfilequeue add column callid varchar(64) collate "C";
