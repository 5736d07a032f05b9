-- down: nothing; the last events of holds return to the table of those of cases
alter table eventstate drop constraint eventstate_pkey;
alter table eventstate rename column processid to objectid;
alter table eventstate
  add column object varchar(60) collate "C" not null default 'Process',
  add column organizationid bigint,
  add column loanid bigint,
  add column delaytype varchar(100) collate "C",
  add column delaystart timestamptz;
alter table eventstate alter column object drop default;
alter table eventstate add primary key (objectid, object);
insert into eventstate (object, objectid, at, created, recorded, code, organizationid, loanid, delaytype, delaystart)
  select 'DecisionDelay', decisiondelayid, at, created, recorded, code, organizationid, loanid, delaytype, delaystart
  from decisiondelaystate;
create index eventstate_delay_idx on eventstate (loanid, organizationid, delaytype, delaystart) where loanid is not null;
drop table decisiondelaystate;
