-- Security events that a user may cause only so often: the instants of the last hour's, one row for each user and event.
create table limitedevent (
  personid bigint not null,
  event varchar(60) collate "C" not null,
  -- Oldest first, never more than the limit.
  instants timestamptz[] not null,
  -- What became of the last one, and when a refused one was last written to the security log.
  outcome varchar(20) collate "C" not null check (outcome in ('Admitted', 'First refused', 'Refused')),
  refused timestamptz,
  primary key (personid, event)
);
