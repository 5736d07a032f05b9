-- down: nothing is lost but time: webhooks about the pages of gateways read all payment methods
drop index if exists paymentmethod_gatewayreference_idx;
