-- down: a start with a wrong secret key is not noticed any more; a queued call of which only the completion was lost is made twice
drop index idempotency_messageid_idx;
alter table idempotency drop column messageid;
drop table secretkeycheck;
