-- Inserts of follow are not noted for the change feed. Its history was dropped in 0101, but where an earlier version had
-- been migrated, the trigger that notes inserts was left.
do $$ begin
  drop trigger if exists follow_added on follow;
  drop function if exists casewright_history_of_follow_added();
end $$;
