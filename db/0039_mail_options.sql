-- Options of kinds of mail servers that have no column of their own. The secret ones are sealed, and not in history.
alter table mailoutbound
  add column options varchar(10000) collate "C",
  add column secrets varchar(30000) collate "C";
create or replace trigger mailoutbound_history after update or delete on mailoutbound for each row
  execute function casewright_history('password', 'clientsecret', 'refreshtoken', 'signaturekey', 'secrets');
