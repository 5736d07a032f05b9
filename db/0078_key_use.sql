-- When an API key was last used. Not a column of apikey, whose changes are history.
create table apikeyuse (
  apikeyid bigint primary key references apikey (apikeyid) on delete cascade,
  lastused timestamptz not null,
  address varchar(60) collate "C"
);
