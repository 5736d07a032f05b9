-- Which database and environment this store was last used in, so that a copy is noticed. One row.
create table installation (
  singleton boolean primary key default true check (singleton),
  -- The database: its cluster's identifier, and its oid there. A dump that is loaded elsewhere has another.
  place text not null,
  -- CASEWRIGHT_ENVIRONMENT; null if it was never set.
  environment varchar(60),
  state text not null default 'Original' check (state in ('Original', 'Paused', 'Copy')),
  changed timestamptz not null default now()
);
