-- down: that analysts save rules of mailboxes
update role
set permissions = replace(replace(permissions collate "C",
    ' MailInboundSelect MailInboundSearch PersonSelect PersonSearch ', ' PersonSelect PersonSearch '),
    ' -MailReceipt* ', ' -MailProcessor* -MailReceipt* '),
  updateddate = now(), version = version + 1
where role = 'Analyst' and strpos(permissions collate "C", ' MailInboundSelect MailInboundSearch PersonSelect ') > 0
  and strpos(permissions collate "C", '-MailProcessor*') = 0;
