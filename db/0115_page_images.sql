-- Images of pages, drawn when they are first looked at. They can be drawn again from the files.
create table documentimage (
  attachmentid bigint not null
    constraint documentimage_attachmentid_fkey references attachment (attachmentid) on delete cascade,
  -- The hash of the content.
  version varchar(64) collate "C" not null,
  page integer not null,
  width integer not null,
  image bytea not null,
  useddate date not null default current_date,
  constraint documentimage_pkey primary key (attachmentid, version, page, width),
  constraint documentimage_page_check check (page > 0 and width > 0)
);
alter table documentimage alter column image set storage external;
create index documentimage_useddate_idx on documentimage (useddate);
alter table documentimage enable row level security;
