-- Options of kinds of storage locations that have no column of their own. The secret ones are sealed, and not in history.
alter table fileobject
  add column options varchar(10000) collate "C",
  add column secrets varchar(30000) collate "C";
create or replace trigger fileobject_history after update or delete on fileobject for each row
  execute function casewright_history('secretaccesskey', 'password', 'privatekey', 'passphrase', 'secrets');
