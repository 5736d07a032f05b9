-- A work item whose task no one can complete, because a workflow that waits for the task is on hold: since when. Kept by
-- triggers, so that `next` passes over such items without reading through them.
alter table smartworklistmember add column helddate timestamptz;

create function casewright_hold_items(tasks bigint[])
  returns void language sql security definer set search_path to 'public', 'pg_temp'
as $function$
  update smartworklistmember i set helddate = x.since
    from (select t as task, (select min(coalesce(h.actualstart, h.createddate)) from decisiondelay h
        where h.decisiondelayid in (select casewright_task_holds(t))) as since
      from unnest(tasks) t) x
    where i.sourceobjectid = x.task and i.sourceobject = 'ImportForm' and i.completiondate is null and i.cancelleddate is null
      and (i.helddate is null) is distinct from (x.since is null)
$function$;

create function casewright_decisionstep_items()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  perform casewright_hold_items(array(
    select distinct task from unnest(array[case when old.object = 'ImportForm' then old.objectid end,
      case when new.object = 'ImportForm' then new.objectid end]) task where task is not null
    union select importformid from importform where decisionstepid = new.decisionstepid and actualcompletion is null and canceleddate is null));
  return null;
end $function$;

create function casewright_importform_items()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  perform casewright_hold_items(array[new.importformid]);
  return null;
end $function$;

create function casewright_smartworklistmember_hold()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.helddate := (select min(coalesce(h.actualstart, h.createddate)) from decisiondelay h
    where h.decisiondelayid in (select casewright_task_holds(new.sourceobjectid)));
  return new;
end $function$;

-- Steps of workflows that are not on hold cost only the comparison.
create trigger decisionstep_items after update on decisionstep for each row
  when (old.delayed is distinct from new.delayed or new.delayed and (old.object, old.objectid, old.enforcedelay, old.actualcompletion, old.canceleddate)
      is distinct from (new.object, new.objectid, new.enforcedelay, new.actualcompletion, new.canceleddate))
  execute function casewright_decisionstep_items();
create trigger importform_items after update of decisionstepid on importform for each row
  when (old.decisionstepid is distinct from new.decisionstepid) execute function casewright_importform_items();
-- Also where an item is opened again: holds may have come and gone meanwhile.
create trigger smartworklistmember_hold before insert on smartworklistmember for each row
  when (new.sourceobject = 'ImportForm') execute function casewright_smartworklistmember_hold();
create trigger smartworklistmember_hold_open before update of completiondate, cancelleddate on smartworklistmember for each row
  when (new.sourceobject = 'ImportForm' and new.completiondate is null and new.cancelleddate is null
    and (old.completiondate is not null or old.cancelleddate is not null))
  execute function casewright_smartworklistmember_hold();

update smartworklistmember i set helddate = h.since
  from (select s.objectid as task, min(coalesce(h.actualstart, h.createddate)) as since
    from decisionstep s
    cross join lateral (select casewright_task_holds(s.objectid) as id) held
    join decisiondelay h on h.decisiondelayid = held.id
    where s.delayed and s.object = 'ImportForm' and s.objectid is not null and s.actualcompletion is null and s.canceleddate is null
    group by 1) h
  where i.sourceobjectid = h.task and i.sourceobject = 'ImportForm' and i.completiondate is null and i.cancelleddate is null;

-- online: built beside the present indexes, which then give them their names.
create index concurrently if not exists smartworklistmember_listed_unheld_idx on smartworklistmember (smartworklistid, teamid, priority, sequence, duedate, smartworklistmemberid)
  where completiondate is null and cancelleddate is null and skipdate is null and helddate is null and personid is null;
drop index concurrently if exists smartworklistmember_listed_idx;
alter index if exists smartworklistmember_listed_unheld_idx rename to smartworklistmember_listed_idx;
create index concurrently if not exists smartworklistmember_personid_unheld_idx on smartworklistmember (personid, teamid, priority, sequence, duedate, smartworklistmemberid)
  where completiondate is null and cancelleddate is null and skipdate is null and helddate is null and personid is not null;
drop index concurrently if exists smartworklistmember_personid_idx;
alter index if exists smartworklistmember_personid_unheld_idx rename to smartworklistmember_personid_idx;
create index concurrently if not exists smartworklistmember_teamid_unheld_idx on smartworklistmember (teamid, priority, sequence, duedate, smartworklistmemberid)
  where completiondate is null and cancelleddate is null and skipdate is null and helddate is null and personid is null;
drop index concurrently if exists smartworklistmember_teamid_idx;
alter index if exists smartworklistmember_teamid_unheld_idx rename to smartworklistmember_teamid_idx;
create index concurrently if not exists smartworklistmember_held_idx on smartworklistmember (personid, teamid, priority, sequence, duedate, smartworklistmemberid)
  where completiondate is null and cancelleddate is null and skipdate is null and helddate is not null;
