-- Which servers checked the senders of the newest emails of a mailbox, and since when its own does. Neither is a change
-- of its configuration.
alter table mailinbound
  add column checkingservers varchar(6000) collate "C",
  add column sendercheckssince timestamptz;
create or replace trigger mailinbound_history after update or delete on mailinbound for each row
  execute function casewright_history('password', 'secrets', 'state', 'lastlook', 'lastsuccess', 'lasterror', 'behind',
    'uidvalidity', 'lastuid', 'checkingservers', 'sendercheckssince');
-- Mailboxes that have received mail whose sender their server checked.
update mailinbound i
set sendercheckssince = (select min(m.receiveddate) from message m
  where m.mailinboundid = i.mailinboundid and (m.dmarc is not null or m.dkim is not null or m.spf is not null));
