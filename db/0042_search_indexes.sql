-- Indexes that administrators add, named searchindex_{searchindexid}.
create table searchindex (
  searchindexid bigint generated always as identity primary key,
  recordtype varchar(60) collate "C" not null,
  indexkind varchar(20) collate "C" not null check (indexkind in ('Value', 'Contains')),
  columns varchar(400) collate "C" not null,
  state varchar(20) collate "C" not null default 'Waiting'
    check (state in ('Waiting', 'Building', 'Ready', 'Failed', 'Removing')),
  attempts integer not null default 0,
  message varchar(1000) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  unique (recordtype, indexkind, columns)
);

-- Searches that took long and read a whole table, by the columns that they filter and sort by.
create table slowsearch (
  recordtype varchar(60) collate "C" not null,
  filters varchar(1000) collate "C" not null,
  orderby varchar(1000) collate "C" not null,
  searches bigint not null,
  lastdate timestamptz not null,
  lastmilliseconds integer not null,
  worstmilliseconds integer not null,
  primary key (recordtype, filters, orderby)
);
