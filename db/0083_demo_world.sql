-- The progress of the demo's cases, which are loaded after the first start. One row at most; none without a demo.
create table demoworld (
  onlyrow boolean default true not null,
  cases integer not null,
  played integer default 0 not null,
  starteddate timestamp with time zone not null,
  finisheddate timestamp with time zone,
  failure text collate "C",
  constraint demoworld_pkey primary key (onlyrow),
  constraint demoworld_onlyrow_check check (onlyrow),
  constraint demoworld_played_check check (played >= 0 and played <= cases)
);
