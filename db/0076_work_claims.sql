-- Claims of work items: a user who begins one has it until `expires`, and longer with each sign of work. `assigned`: the claim
-- assigned the item, so that releasing it makes it unassigned again. A claim is only of the start that it was made for: an item
-- that was requeued or given to somebody else since has another StartDate.
create table workclaim (
  smartworklistmemberid bigint primary key references smartworklistmember on delete cascade,
  personid bigint not null references person,
  startdate timestamptz not null,
  assigned boolean not null,
  expires timestamptz not null
);
create index workclaim_expires_idx on workclaim (expires);

-- Answers of tasks that are not saved yet, as people entered them, valid or not.
create table importformdraft (
  importformid bigint primary key references importform on delete cascade,
  personid bigint not null references person,
  answers jsonb not null check (jsonb_typeof(answers) = 'object'),
  updateddate timestamptz not null
);
create index importformdraft_updateddate_idx on importformdraft (updateddate);

-- Whoever sees a task sees its draft.
create function casewright_task_draft(wanted bigint)
  returns table (answers jsonb, personid bigint, updateddate timestamptz)
  language sql stable security definer set search_path to 'public', 'pg_temp'
as $function$
  select d.answers, d.personid, d.updateddate from importformdraft d join importform t on t.importformid = d.importformid
  where d.importformid = wanted
    and coalesce(nullif(current_setting('casewright.firm', true), ''), '0') in ('0', t.reachorganizationid::text)
$function$;

-- A task that ends needs no draft.
create function casewright_importform_draft()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  delete from importformdraft d where d.importformid = new.importformid;
  return null;
end $function$;
create trigger importform_draft after update of actualcompletion, canceleddate on importform for each row
  when ((new.actualcompletion is not null or new.canceleddate is not null)
    and (old.actualcompletion is distinct from new.actualcompletion or old.canceleddate is distinct from new.canceleddate))
  execute function casewright_importform_draft();

-- online: what a user has to do and has done, and the open items and the output of a team, each from one index.
create index concurrently if not exists smartworklistmember_own_idx on smartworklistmember (personid, duedate, skipdate, helddate)
  where completiondate is null and cancelleddate is null and personid is not null;
create index concurrently if not exists smartworklistmember_open_idx
  on smartworklistmember (teamid, smartworklistid, personid, duedate, createddate)
  where completiondate is null and cancelleddate is null;
create index concurrently if not exists smartworklistmember_done_idx on smartworklistmember (personid, completiondate)
  where completiondate is not null and personid is not null;
create index concurrently if not exists smartworklistmember_output_idx on smartworklistmember (teamid, completiondate, personid)
  where completiondate is not null;
