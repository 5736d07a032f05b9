-- Roles that were denied what administrators and configuration have are denied the same of record types that are new, about
-- which nobody has decided yet: preferences, follows and notifications of other people, page layouts, and sharing views.
do $$
declare
  part record;
begin
  for part in
    select * from (
      select '-Session*' as known, '-Preference* -Follow* -Notification*' as added
      union all
      select '-Schedule' || operation, '-PageLayout' || operation
        from unnest(array['Save', 'Insert', 'Update', 'Delete', 'Undelete', 'Rollback', 'UpdateFromRule',
          'UpdateFromMatrix', 'Export', 'Import']) operation
      union all
      select '-SmartWorklistRestart', '-ViewShare') denials
  loop
    update role
    set permissions = btrim(replace(' ' || (permissions collate "C") || ' ', ' ' || part.known || ' ',
        ' ' || part.known || ' ' || part.added || ' ')),
      updateddate = now(), version = version + 1
    where strpos(' ' || (permissions collate "C") || ' ', ' ' || part.known || ' ') > 0
      and strpos(permissions collate "C", split_part(part.added, ' ', 1)) = 0;
  end loop;
end $$;
