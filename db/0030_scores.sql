-- Scores: values that are calculated on records, with the items that they are made of, and their templates.

create table scoretemplate (
  scoretemplateid bigint generated always as identity primary key,
  scoretemplate varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  scoretemplatetype varchar(100) collate casewright_text,
  appliesto varchar(60) collate casewright_text,
  repeatable varchar(9) collate casewright_text,
  extranetenabled varchar(6) collate casewright_text,
  description varchar(10000) collate casewright_text,
  scoreengine varchar(100) collate casewright_text,
  method varchar(2000) collate "C",
  valuetype varchar(10) collate casewright_text,
  valuetypecode integer,
  engineparameters varchar(100000) collate "C",
  renderid bigint references attachment,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index scoretemplate_renderid_idx on scoretemplate (renderid);
create trigger scoretemplate_history after update or delete on scoretemplate for each row execute function casewright_history();
select casewright_open('scoretemplate', 'configuration');
create view report.scoretemplate with (security_invoker = true) as select scoretemplate.scoretemplateid, scoretemplate.scoretemplate, scoretemplate.status, scoretemplate.scoretemplatetype, scoretemplate.appliesto, scoretemplate.repeatable, scoretemplate.extranetenabled, scoretemplate.description, scoretemplate.scoreengine, scoretemplate.method, scoretemplate.valuetype, scoretemplate.valuetypecode, scoretemplate.engineparameters, scoretemplate.renderid, scoretemplate.createddate, scoretemplate.createdpersonid, scoretemplate.updateddate, scoretemplate.updatedpersonid, scoretemplate.version from scoretemplate;
select casewright_report('scoretemplate', 'scoretemplateid, scoretemplate, status, scoretemplatetype, appliesto, repeatable, extranetenabled, description, scoreengine, method, valuetype, valuetypecode, engineparameters, renderid, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table scoreitemtemplate (
  scoreitemtemplateid bigint generated always as identity primary key,
  scoreitemtemplate varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  scoreitemtemplatetype varchar(100) collate casewright_text,
  scoretemplateid bigint not null references scoretemplate,
  safename varchar(101) collate casewright_text,
  valuetype varchar(10) collate casewright_text,
  valuetypecode integer,
  prompt varchar(10000) collate casewright_text,
  enumeration varchar(10000) collate casewright_text,
  weight numeric check (weight >= 0),
  sequence integer,
  label varchar(255) collate casewright_text,
  mask varchar(100) collate "C",
  unmaskpermission varchar(100) collate casewright_text,
  xpath varchar(2000) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index scoreitemtemplate_scoretemplateid_idx on scoreitemtemplate (scoretemplateid);
create trigger scoreitemtemplate_history after update or delete on scoreitemtemplate for each row execute function casewright_history();
select casewright_open('scoreitemtemplate', 'configuration');
create view report.scoreitemtemplate with (security_invoker = true) as select scoreitemtemplate.scoreitemtemplateid, scoreitemtemplate.scoreitemtemplate, scoreitemtemplate.status, scoreitemtemplate.scoreitemtemplatetype, scoreitemtemplate.scoretemplateid, scoreitemtemplate.safename, scoreitemtemplate.valuetype, scoreitemtemplate.valuetypecode, scoreitemtemplate.prompt, scoreitemtemplate.enumeration, scoreitemtemplate.weight, scoreitemtemplate.sequence, scoreitemtemplate.label, scoreitemtemplate.mask, scoreitemtemplate.unmaskpermission, scoreitemtemplate.xpath, scoreitemtemplate.createddate, scoreitemtemplate.createdpersonid, scoreitemtemplate.updateddate, scoreitemtemplate.updatedpersonid, scoreitemtemplate.version from scoreitemtemplate;
select casewright_report('scoreitemtemplate', 'scoreitemtemplateid, scoreitemtemplate, status, scoreitemtemplatetype, scoretemplateid, safename, valuetype, valuetypecode, prompt, enumeration, weight, sequence, label, mask, unmaskpermission, xpath, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table score (
  scoreid bigint generated always as identity primary key,
  score varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  scoretype varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  scoretemplateid bigint references scoretemplate,
  scoremoney numeric(19,4),
  scoreint integer,
  scorefloat numeric,
  scoreboolean boolean,
  scorechar varchar(4000) collate casewright_text,
  scoredate date,
  confidence numeric check (confidence between 0 and 1),
  renderid bigint references attachment,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint,
  custom jsonb check (jsonb_typeof(custom) = 'object')
);
create index score_scoretemplateid_idx on score (scoretemplateid);
create index score_renderid_idx on score (renderid);
create index score_object_idx on score (objectid, object);
create index score_reach_idx on score (reachorganizationid, createddate);
create trigger score_history after update or delete on score for each row execute function casewright_history();
select casewright_open('score', 'one');
create view report.score with (security_invoker = true) as select score.scoreid, score.score, score.status, score.scoretype, score.object, score.objectid, score.scoretemplateid, score.scoremoney, score.scoreint, score.scorefloat, score.scoreboolean, score.scorechar, score.scoredate, score.confidence, score.renderid, score.createddate, score.createdpersonid, score.updateddate, score.updatedpersonid, score.version, score.custom from score;
select casewright_report('score', 'scoreid, score, status, scoretype, object, objectid, scoretemplateid, scoremoney, scoreint, scorefloat, scoreboolean, scorechar, scoredate, confidence, renderid, createddate, createdpersonid, updateddate, updatedpersonid, version, custom');

create table scoreitem (
  scoreitemid bigint generated always as identity primary key,
  scoreitem varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  scoreitemtype varchar(100) collate casewright_text,
  scoreid bigint not null references score,
  scoreitemtemplateid bigint references scoreitemtemplate,
  scoremoney numeric(19,4),
  scoreint integer,
  scorefloat numeric,
  scoreboolean boolean,
  scorechar varchar(4000) collate casewright_text,
  scoredate date,
  scoresealed text collate "C",
  confidence numeric check (confidence between 0 and 1),
  childscoreid bigint references score,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint,
  custom jsonb check (jsonb_typeof(custom) = 'object')
);
create index scoreitem_scoreid_idx on scoreitem (scoreid);
create index scoreitem_scoreitemtemplateid_idx on scoreitem (scoreitemtemplateid);
create index scoreitem_childscoreid_idx on scoreitem (childscoreid);
create index scoreitem_reach_idx on scoreitem (reachorganizationid, createddate);
create trigger scoreitem_history after update or delete on scoreitem for each row execute function casewright_history('scoresealed');
select casewright_open('scoreitem', 'one');
create view report.scoreitem with (security_invoker = true) as select scoreitem.scoreitemid, scoreitem.scoreitem, scoreitem.status, scoreitem.scoreitemtype, scoreitem.scoreid, scoreitem.scoreitemtemplateid, scoreitem.scoremoney, scoreitem.scoreint, scoreitem.scorefloat, scoreitem.scoreboolean, scoreitem.scorechar, scoreitem.scoredate, scoreitem.confidence, scoreitem.childscoreid, scoreitem.createddate, scoreitem.createdpersonid, scoreitem.updateddate, scoreitem.updatedpersonid, scoreitem.version, scoreitem.custom from scoreitem;
select casewright_report('scoreitem', 'scoreitemid, scoreitem, status, scoreitemtype, scoreid, scoreitemtemplateid, scoremoney, scoreint, scorefloat, scoreboolean, scorechar, scoredate, confidence, childscoreid, createddate, createdpersonid, updateddate, updatedpersonid, version, custom');

create unique index scoretemplate_scoretemplate_key on scoretemplate (scoretemplate, coalesce(appliesto, ''));
create unique index scoreitemtemplate_scoreitemtemplate_key on scoreitemtemplate (scoretemplateid, scoreitemtemplate);
create unique index scoreitemtemplate_safename_key on scoreitemtemplate (scoretemplateid, safename);
create unique index scoreitem_scoreitemtemplateid_key on scoreitem (scoreid, scoreitemtemplateid);
create trigger scoretemplate_configuration after insert or update or delete on scoretemplate for each statement execute function casewright_configuration();
create trigger scoreitemtemplate_configuration after insert or update or delete on scoreitemtemplate for each statement execute function casewright_configuration();

-- A mask says that values are kept sealed, and in which form they are shown. Values that are there already would stand in the clear,
-- or could be read by nobody any more.
create function casewright_scoreitemtemplate_values() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from scoreitem where scoreitemtemplateid = new.scoreitemtemplateid) then
    raise exception 'the item has values' using errcode = 'check_violation', constraint = 'scoreitemtemplate_values_check', table = 'scoreitemtemplate';
  end if;
  return new;
end $$;
create trigger scoreitemtemplate_values before update on scoreitemtemplate for each row
  when (new.mask is distinct from old.mask or new.valuetypecode is distinct from old.valuetypecode) execute function casewright_scoreitemtemplate_values();

-- Of an item with a mask nothing stands in the clear, whoever writes it: no typed value, and text only as the mask shows it. The lock
-- makes a writer wait for who is changing the mask at this moment, and see it.
create function casewright_scoreitem_sealed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  shown text;
begin
  select mask into shown from scoreitemtemplate where scoreitemtemplateid = new.scoreitemtemplateid for share;
  if shown is null then return new; end if;
  shown := replace(replace(replace(replace(shown, '%', '\%'), '_', '\_'), '#', '_'), '*', '***');
  if num_nonnulls(new.scoremoney, new.scoreint, new.scorefloat, new.scoreboolean, new.scoredate) > 0 or (new.scorechar collate "C") not like shown then
    raise exception 'the value has a mask' using errcode = 'check_violation', constraint = 'scoreitem_sealed_check', table = 'scoreitem';
  end if;
  return new;
end $$;
create trigger scoreitem_sealed before insert or update of scoreitemtemplateid, scoremoney, scoreint, scorefloat, scoreboolean, scorechar, scoredate on scoreitem for each row
  when (new.scoreitemtemplateid is not null) execute function casewright_scoreitem_sealed();

-- A score that makes an item of another is never above it. Whoever ties two scores locks both: of several who would close a circle
-- together the last sees the others' ties.
create function casewright_scoreitem_nested() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform 1 from score where scoreid in (new.scoreid, new.childscoreid) order by scoreid for no key update;
  if exists (
    with recursive above(scoreid) as (
      select new.scoreid
      union
      select i.scoreid from scoreitem i join above a on i.childscoreid = a.scoreid
    ) select from above where scoreid = new.childscoreid
  ) then
    raise exception 'a score cannot stand below itself' using errcode = 'check_violation', constraint = 'scoreitem_childscoreid_check', table = 'scoreitem';
  end if;
  return new;
end $$;
create trigger scoreitem_nested before insert or update of scoreid, childscoreid on scoreitem for each row
  when (new.childscoreid is not null) execute function casewright_scoreitem_nested();

-- Who reaches a score and its items, as with ledgers and their lines.
create function casewright_reach_score() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from scoretemplate where scoretemplateid = new.scoretemplateid), new.scoretemplateid is not null, new.createdpersonid);
  return new;
end $$;
create trigger score_reach before insert or update of object, objectid, scoretemplateid, reachorganizationid on score for each row execute function casewright_reach_score();

create function casewright_reach_scoreitem() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := (select reachorganizationid from score where scoreid = new.scoreid);
  return new;
end $$;
create trigger scoreitem_reach before insert or update of scoreid, reachorganizationid on scoreitem for each row execute function casewright_reach_scoreitem();

-- What hangs below records learns of scores. Several migrations add to these functions, so each adds its lines to what stands.
do $$
declare
  part record;
  definition text;
begin
  for part in select * from (values
    ('casewright_reach_below(text, bigint)', E'  return null;\nend', E'  if parent = ''Score'' then\n    return (select array[reachorganizationid] from score where scoreid = parentid and reachorganizationid is not null);\n  end if;\n'),
    ('casewright_reach_spread()', E'  return null;\nend', E'  update score set reachorganizationid = null where object = class and objectid = parentid;\n  if class = ''Score'' then update scoreitem set reachorganizationid = null where scoreid = parentid; end if;\n'),
    ('casewright_reach_loan_changed()', E'      update ledger set', E'      update score set reachorganizationid = null where object = ''Loan'' and objectid = new.loanid;\n'),
    ('casewright_reach_process_changed()', E'    update ledger set', E'    update score set reachorganizationid = null where object = new.recordclass and objectid = new.processid;\n')
  ) as parts(function, before, lines) loop
    definition := pg_get_functiondef(part.function::regprocedure);
    if position(part.before in definition) = 0 then raise exception '% is not as expected', part.function; end if;
    execute overlay(definition placing part.lines from position(part.before in definition) for 0);
  end loop;
end $$;
create trigger score_reach_spread after update on score for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_spread('Score');
create trigger scoretemplate_reach after update on scoretemplate for each row when (new.extranetenabled is distinct from old.extranetenabled) execute function casewright_reach_template('score');
