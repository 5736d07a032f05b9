-- down: the options of mail servers whose kind is not SMTP
-- The view shows the column; the older version creates it again when it starts.
drop view if exists report.mailoutbound;
create or replace trigger mailoutbound_history after update or delete on mailoutbound for each row
  execute function casewright_history('password', 'clientsecret', 'refreshtoken', 'signaturekey');
alter table mailoutbound drop column options, drop column secrets;
