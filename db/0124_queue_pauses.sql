-- Operations whose calls wait in a queue while its other calls run. Workers read it before each claim. A call that is
-- found waiting for a paused operation is blocked in the table of jobs, and released when its row here is deleted.
create table queuepause (
  queuename varchar(100) not null,
  operation varchar(200) collate "C" not null,
  reason varchar(300),
  changeddate timestamptz not null default now(),
  changedpersonid bigint references person on delete set null,
  primary key (queuename, operation)
);
create index queuepause_changedpersonid_idx on queuepause (changedpersonid);
