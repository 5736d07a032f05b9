-- down: the webhooks, with their history, and what was still to be sent
drop table webhookstate;
drop table webhookdelivery;
drop table webhook;
delete from history where tablename = 'webhook';
