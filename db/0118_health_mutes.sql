-- Findings of the health report that somebody has acknowledged for some time.
create table healthmute (
  health varchar(60) primary key,
  state varchar(10) not null check (state in ('warning', 'failed')),
  until timestamptz not null,
  reason varchar(300) not null,
  personid bigint references person on delete set null,
  createddate timestamptz not null default now()
);
create index healthmute_personid_idx on healthmute (personid);
