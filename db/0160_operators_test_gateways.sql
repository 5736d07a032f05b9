-- Operators test mail servers and payment gateways, and settle and compare payments. Changed where the demo's role is as
-- it was installed, so that an unchanged role equals its definition.
update role
set permissions = replace(permissions collate "C", ' MailInboundTest MessageReceive WebhookDelivery* Schedule* ',
    ' MailInboundTest MailOutboundTest MessageReceive WebhookDelivery* Schedule* ' ||
    'PaymentProviderTest PaymentSettle PaymentReconcile '),
  updateddate = now(), version = version + 1
where role = 'Operator'
  and strpos(permissions collate "C", ' MailInboundTest MessageReceive WebhookDelivery* Schedule* ') > 0;
