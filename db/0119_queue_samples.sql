-- How many calls waited in each queue, minute by minute, for a week.
create table queuesample (
  sampled timestamptz not null default date_trunc('minute', now()),
  queuename varchar(100) not null,
  waiting integer not null,
  oldestseconds integer not null,
  dead integer not null,
  primary key (sampled, queuename)
);
