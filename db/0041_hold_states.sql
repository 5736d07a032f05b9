-- The last event of a case and that of a hold are in tables of their own: cases and holds belong to different areas, and each area
-- writes its own tables.
create table decisiondelaystate (
  decisiondelayid bigint primary key,
  -- When the event happened, was created and was recorded, and its code: which of two events is the later one.
  at timestamptz not null default '-infinity',
  created timestamptz not null default '-infinity',
  recorded timestamptz not null default '-infinity',
  code text collate "C" not null default '',
  -- The firm that reported the hold, its type and beginning, by which it is known again.
  organizationid bigint not null,
  loanid bigint not null,
  delaytype varchar(100) collate "C" not null,
  delaystart timestamptz not null
);
insert into decisiondelaystate (decisiondelayid, at, created, recorded, code, organizationid, loanid, delaytype, delaystart)
  select objectid, at, created, recorded, code, organizationid, loanid, delaytype, delaystart
  from eventstate where object = 'DecisionDelay';
create index decisiondelaystate_loanid_idx on decisiondelaystate (loanid, organizationid, delaytype, delaystart);

delete from eventstate where object = 'DecisionDelay';
drop index eventstate_delay_idx;
alter table eventstate drop constraint eventstate_pkey;
alter table eventstate drop column object, drop column organizationid, drop column loanid, drop column delaytype,
  drop column delaystart;
alter table eventstate rename column objectid to processid;
alter table eventstate add primary key (processid);
