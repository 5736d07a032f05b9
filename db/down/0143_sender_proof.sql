-- down: whether senders of messages are genuine. The views show the columns; the older version creates them again.
drop view if exists report.message;
drop view if exists report.mailinbound;
alter table mailinbound drop column authenticationserver, drop column senderproof;
alter table message drop column senderproof, drop column senderdetail, drop column dkim, drop column spf,
  drop column dmarc;
