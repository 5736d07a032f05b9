-- Analysts save rules of mailboxes and see which mailboxes there are. Changed where the role is as it was installed, so that
-- an unchanged role equals its definition.
update role
set permissions = replace(replace(permissions collate "C", ' -MailProcessor* ', ' '),
    ' PersonSelect PersonSearch ', ' MailInboundSelect MailInboundSearch PersonSelect PersonSearch '),
  updateddate = now(), version = version + 1
where role = 'Analyst' and strpos(permissions collate "C", ' -MailProcessor* ') > 0
  and strpos(permissions collate "C", ' PersonSelect PersonSearch ') > 0
  and strpos(permissions collate "C", 'MailInboundSelect') = 0;
