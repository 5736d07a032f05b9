-- Holds: which of them keep a task from being completed; and that of a workflow goes with it.

-- The open holds that keep a task from being completed: those of the workflows that wait for it, unless they only count holds. They keep whoever
-- completes it, so that who reaches the task is told of them also where the workflow is out of reach; what a hold says stays with the hold.
create function casewright_task_holds(wanted bigint) returns setof bigint language sql stable security definer set search_path = public, pg_temp as $$
  select distinct h.decisiondelayid from (
      select s.decisionstepid from decisionstep s where s.object = 'ImportForm' and s.objectid = wanted
      union select i.decisionstepid from importform i where i.importformid = wanted) waiting
    join decisionstep s on s.decisionstepid = waiting.decisionstepid and s.actualcompletion is null and s.canceleddate is null and coalesce(s.enforcedelay, true)
    join decision d on d.decisionid = s.decisionid and d.delayed and d.actualcompletion is null and d.canceleddate is null
    join decisiondelay h on h.decisiondelayid in (select casewright_holds(d.decisionid)) and h.actualcompletion is null
$$;
grant execute on function casewright_task_holds(bigint) to casewright_reach;

-- A hold of a workflow that is deleted goes with it, as its steps do, and stands in history. Without its workflow it would be a hold of the whole
-- case from then on, and stop workflows that nobody has put on hold.
alter table decisiondelay drop constraint decisiondelay_decisionid_fkey, add constraint decisiondelay_decisionid_fkey foreign key (decisionid) references decision on delete cascade;
