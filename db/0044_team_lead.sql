-- Of the roles that exist, none may be changed: somebody may have edited it. The new one is what the installation's own
-- staff may do, and the operations on other people's work. An empty database gets its roles at its first start.
insert into role (role, status, description, permissions, universalaccess)
  select 'Team lead', 'Active', 'What Staff may do; also reassigns and completes the work items of other people.',
    concat_ws(' ', staff.permissions, 'SmartWorklistMemberReassign SmartWorklistMemberBulkComplete',
      'SmartWorklistMemberAutoAssign SmartWorklistAutoAssign SmartWorklistRestart'), staff.universalaccess
  from role staff
  where staff.role = 'Staff' and not exists (select from role where role = 'Team lead')
  order by staff.roleid
  limit 1;
