-- Operators test mailboxes and receive their mail. Changed where the demo's role is as it was installed, so that an
-- unchanged role equals its definition.
update role
set permissions = replace(permissions collate "C", ' MailDelivery* WebhookDelivery* ',
    ' MailDelivery* MailInboundTest MessageReceive WebhookDelivery* '),
  updateddate = now(), version = version + 1
where role = 'Operator' and strpos(permissions collate "C", ' MailDelivery* WebhookDelivery* ') > 0
  and strpos(permissions collate "C", 'MailInboundTest') = 0;
