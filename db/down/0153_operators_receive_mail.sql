-- down: that operators test mailboxes and receive their mail
update role
set permissions = replace(permissions collate "C", ' MailDelivery* MailInboundTest MessageReceive WebhookDelivery* ',
    ' MailDelivery* WebhookDelivery* '),
  updateddate = now(), version = version + 1
where role = 'Operator'
  and strpos(permissions collate "C", ' MailDelivery* MailInboundTest MessageReceive WebhookDelivery* ') > 0;
