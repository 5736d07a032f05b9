-- What running processes need of the store: whether a secret key is the right one, and how long the claim of a queued call lasts.

-- A value sealed at the first start. A process whose key does not open it has the wrong key and does not start.
create table secretkeycheck (
  onlyrow boolean primary key default true check (onlyrow),
  sealed bytea not null,
  createddate timestamptz not null default now()
);

-- The claim of a queued call lasts as long as its message, so that a dead letter that is queued again after weeks is not
-- run a second time where only its completion was lost.
alter table idempotency add column messageid uuid;
create index idempotency_messageid_idx on idempotency (createddate) where messageid is not null;
