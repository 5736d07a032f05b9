-- What housekeeping found at the address of the installation (PublicAddress). `nonce` and `answer`: only this
-- installation answers the one with the other. `outcome` is null until the first check ends.
create table publicaddresscheck (
  singleton boolean default true not null primary key,
  address varchar(500) collate "C" not null,
  nonce varchar(64) collate "C" not null,
  answer varchar(64) collate "C" not null,
  outcome varchar(20) collate "C",
  found varchar(300) collate "C",
  expires timestamptz,
  checkeddate timestamptz,
  since timestamptz,
  constraint publicaddresscheck_singleton_check check (singleton)
);
alter table publicaddresscheck enable row level security;
