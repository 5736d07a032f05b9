-- Until when the certificates of other servers are valid, as housekeeping has read them. Without `expires` there was no
-- answer.
create table servercertificate (
  host varchar(255) collate "C" not null,
  port integer not null,
  purpose varchar(255) collate "C" not null,
  expires timestamptz,
  checkeddate timestamptz not null,
  primary key (host, port)
);
alter table servercertificate enable row level security;
