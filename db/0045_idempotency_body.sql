-- SHA-256 of the raw body of a call with an Idempotency-Key, so that another document under the same key is refused.
alter table idempotency add column bodyhash bytea;
