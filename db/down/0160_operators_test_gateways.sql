-- down: that operators test mail servers and payment gateways, and settle and compare payments
update role
set permissions = replace(permissions collate "C", ' MailInboundTest MailOutboundTest MessageReceive WebhookDelivery* ' ||
    'Schedule* PaymentProviderTest PaymentSettle PaymentReconcile ',
    ' MailInboundTest MessageReceive WebhookDelivery* Schedule* '),
  updateddate = now(), version = version + 1
where role = 'Operator'
  and strpos(permissions collate "C", ' MailInboundTest MailOutboundTest MessageReceive WebhookDelivery* Schedule* ' ||
    'PaymentProviderTest PaymentSettle PaymentReconcile ') > 0;
