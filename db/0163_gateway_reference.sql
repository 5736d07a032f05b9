-- Webhooks find the card or bank account that is stored on a gateway's page by the page's reference.
-- online: paymentmethod may be large
create index concurrently if not exists paymentmethod_gatewayreference_idx on paymentmethod (gatewayreference)
  where gatewayreference is not null;
