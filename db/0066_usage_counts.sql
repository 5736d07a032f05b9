-- What users, keys and addresses have used of a limit in a window of time, for all processes together. Processes count most
-- uses by themselves and take a share of the limit from here. It replaces the calls of limited keys by minute.
create table usagecount (
  -- A hash of what is counted, and for whom.
  subject bytea not null,
  -- When the window ends.
  ends timestamptz not null,
  used bigint not null,
  primary key (subject, ends)
);
create index usagecount_ends_idx on usagecount (ends);
drop table ratelimit;
