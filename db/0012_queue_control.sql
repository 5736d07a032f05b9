-- What an administrator said of a queue: whether workers may take from it, and how fast. A queue without a row runs freely.
-- The allowance of a throttled queue stands here too, so that all workers of an installation share one.

create table queuecontrol (
  queuename varchar(100) primary key,
  stopped boolean not null default false,
  -- Messages that may be taken in a minute; 0 is as many as there are.
  perminute integer not null default 0 check (perminute between 0 and 60000),
  -- How many may be taken at once, as it stood at `refilled`; it grows with the time since.
  allowance double precision not null default 1 check (allowance >= 0),
  refilled timestamptz not null default now(),
  changeddate timestamptz not null default now(),
  changedpersonid bigint references person (personid) on delete set null
);
