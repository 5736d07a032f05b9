-- down: the options of storage locations that have no column of their own
-- The view shows the column; the older version creates it again when it starts.
drop view if exists report.fileobject;
create or replace trigger fileobject_history after update or delete on fileobject for each row
  execute function casewright_history('secretaccesskey', 'password', 'privatekey', 'passphrase');
alter table fileobject drop column options, drop column secrets;
