-- Workflows: what a kind of workflow is (steps and dependencies, in versions), and workflows on records with their steps and holds.

create table decisiontemplate (
  decisiontemplateid bigint generated always as identity primary key,
  decisiontemplate varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  decisiontemplatetype varchar(100) collate casewright_text,
  appliesto varchar(60) collate casewright_text,
  repeatable varchar(9) collate casewright_text,
  extranetenabled varchar(4) collate casewright_text,
  description varchar(10000) collate casewright_text,
  enforcestartdates boolean,
  enforcedelay boolean,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create trigger decisiontemplate_history after update or delete on decisiontemplate for each row execute function casewright_history();
select casewright_open('decisiontemplate', 'configuration');
create view report.decisiontemplate with (security_invoker = true) as select decisiontemplate.decisiontemplateid, decisiontemplate.decisiontemplate, decisiontemplate.status, decisiontemplate.decisiontemplatetype, decisiontemplate.appliesto, decisiontemplate.repeatable, decisiontemplate.extranetenabled, decisiontemplate.description, decisiontemplate.enforcestartdates, decisiontemplate.enforcedelay, decisiontemplate.createddate, decisiontemplate.createdpersonid, decisiontemplate.updateddate, decisiontemplate.updatedpersonid, decisiontemplate.version from decisiontemplate;
select casewright_report('decisiontemplate', 'decisiontemplateid, decisiontemplate, status, decisiontemplatetype, appliesto, repeatable, extranetenabled, description, enforcestartdates, enforcedelay, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table decisionsteptemplate (
  decisionsteptemplateid bigint generated always as identity primary key,
  decisionsteptemplate varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  decisionsteptemplatetype varchar(100) collate casewright_text,
  decisiontemplateid bigint not null references decisiontemplate on delete cascade,
  sequence integer,
  object varchar(60) collate "C",
  objectid bigint,
  operation varchar(200) collate "C",
  parameters varchar(10000) collate "C",
  method varchar(2000) collate "C",
  batchlog boolean,
  batchsteptheadcount integer,
  stepxml varchar(1000000) collate "C",
  stepxslt varchar(1000000) collate "C",
  durationscale integer,
  estimatedduration numeric,
  referencedate varchar(2000) collate "C",
  repeatability integer,
  async boolean,
  queue varchar(100) collate casewright_text,
  queueparameters varchar(2000) collate "C",
  objectmatrixid bigint references matrix,
  monitorscheduleid bigint,
  createoncompletion boolean,
  teamid bigint references collection,
  onstartparentstatus varchar(100) collate casewright_text,
  onstartdecisionstatus varchar(100) collate casewright_text,
  oncompleteparentstatus varchar(100) collate casewright_text,
  oncompletedecisionstatus varchar(100) collate casewright_text,
  description varchar(10000) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index decisionsteptemplate_decisiontemplateid_idx on decisionsteptemplate (decisiontemplateid);
create index decisionsteptemplate_objectmatrixid_idx on decisionsteptemplate (objectmatrixid);
create index decisionsteptemplate_monitorscheduleid_idx on decisionsteptemplate (monitorscheduleid);
create index decisionsteptemplate_teamid_idx on decisionsteptemplate (teamid);
create trigger decisionsteptemplate_history after update or delete on decisionsteptemplate for each row execute function casewright_history();
select casewright_open('decisionsteptemplate', 'configuration');
create view report.decisionsteptemplate with (security_invoker = true) as select decisionsteptemplate.decisionsteptemplateid, decisionsteptemplate.decisionsteptemplate, decisionsteptemplate.status, decisionsteptemplate.decisionsteptemplatetype, decisionsteptemplate.decisiontemplateid, decisionsteptemplate.sequence, decisionsteptemplate.object, decisionsteptemplate.objectid, decisionsteptemplate.operation, decisionsteptemplate.parameters, decisionsteptemplate.method, decisionsteptemplate.batchlog, decisionsteptemplate.batchsteptheadcount, decisionsteptemplate.stepxml, decisionsteptemplate.stepxslt, decisionsteptemplate.durationscale, decisionsteptemplate.estimatedduration, decisionsteptemplate.referencedate, decisionsteptemplate.repeatability, decisionsteptemplate.async, decisionsteptemplate.queue, decisionsteptemplate.queueparameters, decisionsteptemplate.objectmatrixid, decisionsteptemplate.monitorscheduleid, decisionsteptemplate.createoncompletion, decisionsteptemplate.teamid, decisionsteptemplate.onstartparentstatus, decisionsteptemplate.onstartdecisionstatus, decisionsteptemplate.oncompleteparentstatus, decisionsteptemplate.oncompletedecisionstatus, decisionsteptemplate.description, decisionsteptemplate.createddate, decisionsteptemplate.createdpersonid, decisionsteptemplate.updateddate, decisionsteptemplate.updatedpersonid, decisionsteptemplate.version from decisionsteptemplate;
select casewright_report('decisionsteptemplate', 'decisionsteptemplateid, decisionsteptemplate, status, decisionsteptemplatetype, decisiontemplateid, sequence, object, objectid, operation, parameters, method, batchlog, batchsteptheadcount, stepxml, stepxslt, durationscale, estimatedduration, referencedate, repeatability, async, queue, queueparameters, objectmatrixid, monitorscheduleid, createoncompletion, teamid, onstartparentstatus, onstartdecisionstatus, oncompleteparentstatus, oncompletedecisionstatus, description, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table decisiondependency (
  decisiondependencyid bigint generated always as identity primary key,
  decisiondependency varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  decisiondependencytype varchar(100) collate casewright_text,
  decisiontemplateid bigint not null references decisiontemplate on delete cascade,
  decisionsteptemplate varchar(100) collate casewright_text,
  decisionsteptemplateid bigint not null references decisionsteptemplate on delete cascade,
  dependencysteptemplate varchar(100) collate casewright_text,
  dependencysteptemplateid bigint not null references decisionsteptemplate on delete cascade,
  istrue boolean,
  groupnumber integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index decisiondependency_decisiontemplateid_idx on decisiondependency (decisiontemplateid);
create index decisiondependency_decisionsteptemplateid_idx on decisiondependency (decisionsteptemplateid);
create index decisiondependency_dependencysteptemplateid_idx on decisiondependency (dependencysteptemplateid);
create trigger decisiondependency_history after update or delete on decisiondependency for each row execute function casewright_history();
select casewright_open('decisiondependency', 'configuration');
create view report.decisiondependency with (security_invoker = true) as select decisiondependency.decisiondependencyid, decisiondependency.decisiondependency, decisiondependency.status, decisiondependency.decisiondependencytype, decisiondependency.decisiontemplateid, decisiondependency.decisionsteptemplate, decisiondependency.decisionsteptemplateid, decisiondependency.dependencysteptemplate, decisiondependency.dependencysteptemplateid, decisiondependency.istrue, decisiondependency.groupnumber, decisiondependency.createddate, decisiondependency.createdpersonid, decisiondependency.updateddate, decisiondependency.updatedpersonid, decisiondependency.version from decisiondependency;
select casewright_report('decisiondependency', 'decisiondependencyid, decisiondependency, status, decisiondependencytype, decisiontemplateid, decisionsteptemplate, decisionsteptemplateid, dependencysteptemplate, dependencysteptemplateid, istrue, groupnumber, createddate, createdpersonid, updateddate, updatedpersonid, version');

create table decisiontemplateversion (
  decisiontemplateversionid bigint generated always as identity primary key,
  decisiontemplateversion varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  decisiontemplateversiontype varchar(100) collate casewright_text,
  decisiontemplateid bigint not null references decisiontemplate on delete cascade,
  stepcount integer,
  callid varchar(36) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index decisiontemplateversion_decisiontemplateid_idx on decisiontemplateversion (decisiontemplateid);
select casewright_open('decisiontemplateversion', 'none');

create table decision (
  decisionid bigint generated always as identity primary key,
  decision varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  decisiontype varchar(100) collate casewright_text,
  object varchar(60) collate "C",
  objectid bigint,
  decisiontemplateid bigint references decisiontemplate,
  decisiontemplateversionid bigint,
  parentdecisionstepid bigint,
  estimatedstart timestamptz,
  estimatedcompletion timestamptz,
  projectedstart timestamptz,
  projectedcompletion timestamptz,
  actualstart timestamptz,
  actualcompletion timestamptz,
  canceleddate timestamptz,
  delayed boolean,
  delaycount integer,
  delayduration numeric,
  stepsequence integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint,
  custom jsonb check (jsonb_typeof(custom) = 'object')
);
create index decision_decisiontemplateid_idx on decision (decisiontemplateid);
create index decision_parentdecisionstepid_idx on decision (parentdecisionstepid);
create index decision_object_idx on decision (objectid, object);
create index decision_reach_idx on decision (reachorganizationid, createddate);
create trigger decision_history after update or delete on decision for each row execute function casewright_history();
select casewright_open('decision', 'one');
create view report.decision with (security_invoker = true) as select decision.decisionid, decision.decision, decision.status, decision.decisiontype, decision.object, decision.objectid, decision.decisiontemplateid, decision.decisiontemplateversionid, decision.parentdecisionstepid, decision.estimatedstart, decision.estimatedcompletion, decision.projectedstart, decision.projectedcompletion, decision.actualstart, decision.actualcompletion, decision.canceleddate, decision.delayed, decision.delaycount, decision.delayduration, decision.stepsequence, decision.createddate, decision.createdpersonid, decision.updateddate, decision.updatedpersonid, decision.version, decision.custom from decision;
select casewright_report('decision', 'decisionid, decision, status, decisiontype, object, objectid, decisiontemplateid, decisiontemplateversionid, parentdecisionstepid, estimatedstart, estimatedcompletion, projectedstart, projectedcompletion, actualstart, actualcompletion, canceleddate, delayed, delaycount, delayduration, stepsequence, createddate, createdpersonid, updateddate, updatedpersonid, version, custom');

create table decisionstep (
  decisionstepid bigint generated always as identity primary key,
  decisionstep varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  decisionsteptype varchar(100) collate casewright_text,
  decisionid bigint not null references decision on delete cascade,
  decisionsteptemplateid bigint,
  object varchar(60) collate "C",
  objectid bigint,
  istrue boolean,
  estimatedstart timestamptz,
  estimatedcompletion timestamptz,
  projectedstart timestamptz,
  projectedcompletion timestamptz,
  actualstart timestamptz,
  actualcompletion timestamptz,
  canceleddate timestamptz,
  errordate timestamptz,
  errorguid varchar(36) collate "C",
  errormessage varchar(2500) collate "C",
  teamid bigint references collection,
  delayed boolean,
  delaycount integer,
  delayduration numeric,
  enforcedelay boolean,
  queuemessageid varchar(36) collate "C",
  insertedsequence integer,
  completedsequence integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint,
  custom jsonb check (jsonb_typeof(custom) = 'object')
);
create index decisionstep_decisionid_idx on decisionstep (decisionid);
create index decisionstep_teamid_idx on decisionstep (teamid);
create index decisionstep_reach_idx on decisionstep (reachorganizationid, createddate);
create trigger decisionstep_history after update or delete on decisionstep for each row execute function casewright_history();
select casewright_open('decisionstep', 'one');
create view report.decisionstep with (security_invoker = true) as select decisionstep.decisionstepid, decisionstep.decisionstep, decisionstep.status, decisionstep.decisionsteptype, decisionstep.decisionid, decisionstep.decisionsteptemplateid, decisionstep.object, decisionstep.objectid, decisionstep.istrue, decisionstep.estimatedstart, decisionstep.estimatedcompletion, decisionstep.projectedstart, decisionstep.projectedcompletion, decisionstep.actualstart, decisionstep.actualcompletion, decisionstep.canceleddate, decisionstep.errordate, decisionstep.errorguid, decisionstep.errormessage, decisionstep.teamid, decisionstep.delayed, decisionstep.delaycount, decisionstep.delayduration, decisionstep.enforcedelay, decisionstep.queuemessageid, decisionstep.insertedsequence, decisionstep.completedsequence, decisionstep.createddate, decisionstep.createdpersonid, decisionstep.updateddate, decisionstep.updatedpersonid, decisionstep.version, decisionstep.custom from decisionstep;
select casewright_report('decisionstep', 'decisionstepid, decisionstep, status, decisionsteptype, decisionid, decisionsteptemplateid, object, objectid, istrue, estimatedstart, estimatedcompletion, projectedstart, projectedcompletion, actualstart, actualcompletion, canceleddate, errordate, errorguid, errormessage, teamid, delayed, delaycount, delayduration, enforcedelay, queuemessageid, insertedsequence, completedsequence, createddate, createdpersonid, updateddate, updatedpersonid, version, custom');

create unique index decisiontemplate_decisiontemplate_key on decisiontemplate (decisiontemplate, coalesce(appliesto, ''));
create unique index decisionsteptemplate_decisionsteptemplate_key on decisionsteptemplate (decisiontemplateid, decisionsteptemplate);
create unique index decisiondependency_key on decisiondependency (decisionsteptemplateid, dependencysteptemplateid, coalesce(groupnumber, 0));
create trigger decisiontemplate_configuration after insert or update or delete on decisiontemplate for each statement execute function casewright_configuration();
create trigger decisionsteptemplate_configuration after insert or update or delete on decisionsteptemplate for each statement execute function casewright_configuration();
create trigger decisiondependency_configuration after insert or update or delete on decisiondependency for each statement execute function casewright_configuration();
create trigger decisionsteptemplate_unsubscribe after delete on decisionsteptemplate referencing old table as gone for each statement execute function casewright_matrix_unsubscribe('DecisionStepTemplate');
create trigger decisiondependency_unsubscribe after delete on decisiondependency referencing old table as gone for each statement execute function casewright_matrix_unsubscribe('DecisionDependency');

-- What a version of a kind of workflow is, taken apart so that a pass need not do it.
create table decisiontemplatecontent (
  decisiontemplateversionid bigint primary key references decisiontemplateversion on delete cascade,
  content jsonb not null
);
alter table decisiontemplatecontent enable row level security;

alter table decision add constraint decision_parentdecisionstepid_fkey foreign key (parentdecisionstepid) references decisionstep on delete set null;
alter table decision add constraint decision_decisiontemplateversionid_fkey foreign key (decisiontemplateversionid) references decisiontemplateversion;
-- On hold a step does not complete, whoever would complete it.
alter table decisionstep add constraint decisionstep_delayed_check check (not (coalesce(delayed, false) and coalesce(enforcedelay, true) and actualcompletion is not null));
create index decisionstep_object_idx on decisionstep (objectid, object) where objectid is not null;
create index decisionstep_template_created_idx on decisionstep (decisionsteptemplateid, createddate);
create index decisionstep_waiting_idx on decisionstep (updateddate) where actualcompletion is null and canceleddate is null and (status is null or status = 'Queued');
create index decision_open_idx on decision (decisiontemplateid, decisionid) where actualcompletion is null and canceleddate is null;

-- Who reaches a workflow and its steps, as with ledgers and their lines.
create function casewright_reach_decision() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, 'Self', new.decisiontemplateid is not null, new.createdpersonid);
  return new;
end $$;
create trigger decision_reach before insert or update of object, objectid, decisiontemplateid, reachorganizationid on decision for each row execute function casewright_reach_decision();

create function casewright_reach_decisionstep() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.reachorganizationid := (select reachorganizationid from decision where decisionid = new.decisionid);
  return new;
end $$;
create trigger decisionstep_reach before insert or update of decisionid, reachorganizationid on decisionstep for each row execute function casewright_reach_decisionstep();

-- What hangs below records learns of workflows. Several migrations add to these functions, so each adds its lines to what stands.
do $$
declare
  part record;
  definition text;
begin
  for part in select * from (values
    ('casewright_reach_below(text, bigint)', E'  return null;\nend', E'  if parent = ''Decision'' then\n    return (select array[reachorganizationid] from decision where decisionid = parentid and reachorganizationid is not null);\n  end if;\n  if parent = ''DecisionStep'' then\n    return (select array[reachorganizationid] from decisionstep where decisionstepid = parentid and reachorganizationid is not null);\n  end if;\n'),
    ('casewright_reach_spread()', E'  return null;\nend', E'  update decision set reachorganizationid = null where object = class and objectid = parentid;\n  if class = ''Decision'' then update decisionstep set reachorganizationid = null where decisionid = parentid; end if;\n'),
    ('casewright_reach_loan_changed()', E'      update ledger set', E'      update decision set reachorganizationid = null where object = ''Loan'' and objectid = new.loanid;\n'),
    ('casewright_reach_process_changed()', E'    update ledger set', E'    update decision set reachorganizationid = null where object = new.recordclass and objectid = new.processid;\n')
  ) as parts(function, before, lines) loop
    definition := pg_get_functiondef(part.function::regprocedure);
    if position(part.before in definition) = 0 then raise exception '% is not as expected', part.function; end if;
    execute overlay(definition placing part.lines from position(part.before in definition) for 0);
  end loop;
end $$;
create trigger decision_reach_spread after update on decision for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_spread('Decision');
create trigger decisionstep_reach_spread after update on decisionstep for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_spread('DecisionStep');

-- Holds: what kind of workflow knows them, and the task that comes with them.
alter table decisiondelaytemplate add column decisiontemplateid bigint references decisiontemplate, add column importformtemplateid bigint references importformtemplate;
create index decisiondelaytemplate_decisiontemplateid_idx on decisiondelaytemplate (decisiontemplateid);
create index decisiondelaytemplate_importformtemplateid_idx on decisiondelaytemplate (importformtemplateid);
drop view report.decisiondelaytemplate;
create view report.decisiondelaytemplate with (security_invoker = true) as select decisiondelaytemplate.decisiondelaytemplateid, decisiondelaytemplate.decisiondelaytemplate, decisiondelaytemplate.status, decisiondelaytemplate.decisiondelaytemplatetype, decisiondelaytemplate.appliesto, decisiondelaytemplate.repeatable, decisiondelaytemplate.extranetenabled, decisiondelaytemplate.description, decisiondelaytemplate.onstartparentstatus, decisiondelaytemplate.decisiontemplateid, decisiondelaytemplate.importformtemplateid, decisiondelaytemplate.createddate, decisiondelaytemplate.createdpersonid, decisiondelaytemplate.updateddate, decisiondelaytemplate.updatedpersonid, decisiondelaytemplate.version from decisiondelaytemplate;
select casewright_report('decisiondelaytemplate', 'decisiontemplateid, importformtemplateid');
update importform set decisionstepid = null where decisionstepid is not null;
update decisiondelay set decisionid = null where decisionid is not null;
alter table importform add constraint importform_decisionstepid_fkey foreign key (decisionstepid) references decisionstep on delete set null;
alter table decisiondelay add constraint decisiondelay_decisionid_fkey foreign key (decisionid) references decision on delete set null;

-- The holds of a workflow: those that name it, and those of its case whose kind its template knows.
create function casewright_holds(wanted bigint) returns setof bigint language sql stable as $$
  select h.decisiondelayid from decisiondelay h where h.decisionid = wanted
  union all
  select h.decisiondelayid from decision d
    join decisiondelay h on h.objectid = d.objectid and h.object = d.object and h.decisionid is null and (h.actualcompletion is null or h.actualcompletion > d.createddate)
    join decisiondelaytemplate t on t.decisiondelaytemplateid = h.decisiondelaytemplateid and coalesce(t.decisiontemplateid, d.decisiontemplateid) = d.decisiontemplateid
      and (t.appliesto is null or lower(t.appliesto collate "C") = lower(d.object) or (lower(t.appliesto collate "C") = 'process' and d.object in ('Foreclosure', 'Bankruptcy')))
  where d.decisionid = wanted and d.object <> 'Loan'
$$;
grant execute on function casewright_holds(bigint) to casewright_reach;

-- How long the moments of some ranges are together; those of several count once.
create function casewright_range_minutes(ranges tstzmultirange) returns numeric language sql immutable set search_path = public, pg_temp as $$
  select coalesce(round((select sum(extract(epoch from upper(part) - lower(part))) from unnest(ranges) part) / 60, 4), 0)
$$;

-- Whoever makes a hold of a case and whoever starts a workflow on it wait for each other: neither would see what the other has not committed.
create function casewright_hold_lock(class text, parentid bigint) returns void language sql security definer set search_path = public, pg_temp as $$
  select pg_advisory_xact_lock(hashtextextended('holds ' || class || ' ' || parentid, 7322096)) where class is not null and parentid is not null
$$;

-- Keeps what a workflow and its steps in progress say of their holds. The row of the workflow is locked first, as every pass does. A
-- hold counts from when the workflow, or the step, was made; holds that overlap count their common time once.
create function casewright_hold_decision(wanted bigint) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  held boolean;
begin
  perform 1 from decision where decisionid = wanted for update;
  update decision d set delayed = x.open > 0, delaycount = x.met, delayduration = x.minutes
    from (select count(*) filter (where h.actualcompletion is null) as open, count(*) as met,
        casewright_range_minutes(range_agg(tstzrange(greatest(coalesce(h.actualstart, h.createddate), w.createddate), h.actualcompletion)) filter (where h.actualcompletion > greatest(coalesce(h.actualstart, h.createddate), w.createddate))) as minutes
      from decision w join decisiondelay h on h.decisiondelayid in (select casewright_holds(wanted)) where w.decisionid = wanted) x
    where d.decisionid = wanted and (d.delayed, d.delaycount, d.delayduration) is distinct from (x.open > 0, x.met::integer, x.minutes);
  select delayed into held from decision where decisionid = wanted;
  update decisionstep s set delayed = held, delaycount = x.met, delayduration = x.minutes
    from (select i.decisionstepid, count(h.decisiondelayid) as met,
        casewright_range_minutes(range_agg(tstzrange(greatest(coalesce(h.actualstart, h.createddate), i.createddate), h.actualcompletion)) filter (where h.actualcompletion > greatest(coalesce(h.actualstart, h.createddate), i.createddate))) as minutes
      from decisionstep i left join decisiondelay h on h.decisiondelayid in (select casewright_holds(wanted)) and (h.actualcompletion is null or h.actualcompletion > i.createddate)
      where i.decisionid = wanted and i.actualcompletion is null and i.canceleddate is null group by i.decisionstepid) x
    where s.decisionstepid = x.decisionstepid and (s.delayed, s.delaycount, s.delayduration) is distinct from (held, x.met::integer, x.minutes);
end $$;

create function casewright_decisiondelay_hold() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  held bigint;
begin
  if tg_op <> 'DELETE' and new.decisionid is null then perform casewright_hold_lock(new.object, new.objectid); end if;
  for held in
    select d.decisionid from decision d where tg_op <> 'DELETE' and d.decisionid = new.decisionid
    union select d.decisionid from decision d where tg_op <> 'INSERT' and d.decisionid = old.decisionid
    union select d.decisionid from decision d where tg_op <> 'DELETE' and new.decisionid is null and d.objectid = new.objectid and d.object = new.object and d.actualcompletion is null and d.canceleddate is null
    union select d.decisionid from decision d where tg_op <> 'INSERT' and old.decisionid is null and d.objectid = old.objectid and d.object = old.object and d.actualcompletion is null and d.canceleddate is null
    order by 1
  loop
    perform casewright_hold_decision(held);
  end loop;
  return null;
end $$;
-- A delay of a loan stays on the loan.
create trigger decisiondelay_hold_insert after insert on decisiondelay for each row when (new.decisionid is not null or new.object <> 'Loan') execute function casewright_decisiondelay_hold();
create trigger decisiondelay_hold_update after update of decisionid, object, objectid, decisiondelaytemplateid, actualstart, actualcompletion on decisiondelay for each row
  when (new.decisionid is not null or old.decisionid is not null or new.object <> 'Loan' or old.object <> 'Loan') execute function casewright_decisiondelay_hold();
create trigger decisiondelay_hold_delete after delete on decisiondelay for each row when (old.decisionid is not null or old.object <> 'Loan') execute function casewright_decisiondelay_hold();

create function casewright_decision_hold() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.object <> 'Loan' then perform casewright_hold_lock(new.object, new.objectid); end if;
  new.delaycount := coalesce((select count(*) from decisiondelay h join decisiondelaytemplate t using (decisiondelaytemplateid)
    where h.objectid = new.objectid and h.object = new.object and h.object <> 'Loan' and h.decisionid is null and h.actualcompletion is null
      and coalesce(t.decisiontemplateid, new.decisiontemplateid) = new.decisiontemplateid
      and (t.appliesto is null or lower(t.appliesto collate "C") = lower(new.object) or (lower(t.appliesto collate "C") = 'process' and new.object in ('Foreclosure', 'Bankruptcy')))), 0);
  new.delayed := new.delaycount > 0;
  new.delayduration := 0;
  return new;
end $$;
-- A step that starts all the same while its workflow is on hold has met the holds that are open.
create function casewright_decisionstep_hold() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.delaycount := (select count(*) from decisiondelay h where h.decisiondelayid in (select casewright_holds(new.decisionid)) and h.actualcompletion is null);
  new.delayduration := 0;
  return new;
end $$;
create trigger decisionstep_hold before insert on decisionstep for each row when (new.delayed) execute function casewright_decisionstep_hold();
create trigger decision_hold before insert on decision for each row execute function casewright_decision_hold();
