-- Whether the mail server of a mailbox found the sender of a message to be genuine, and which servers and results count.
alter table message
  add column senderproof varchar(8) collate casewright_text check (senderproof in ('Proven', 'Failed', 'Unproven')),
  add column senderdetail varchar(1000) collate casewright_text,
  add column dkim varchar(4) collate casewright_text check (dkim in ('Pass', 'Fail', 'None')),
  add column spf varchar(4) collate casewright_text check (spf in ('Pass', 'Fail', 'None')),
  add column dmarc varchar(4) collate casewright_text check (dmarc in ('Pass', 'Fail', 'None'));
alter table mailinbound
  add column authenticationserver varchar(500) collate "C",
  add column senderproof varchar(9) collate casewright_text check (senderproof in ('Required', 'NotFailed'));
