-- The content of a mail is stored once for all its deliveries; text messages are delivered like mail; and each mail server
-- may take only so many mails per minute.

create table mailcontent (
  mailcontentid bigint generated always as identity primary key,
  content text collate "C" not null,
  createddate timestamptz not null default now()
);
alter table mailcontent enable row level security;

alter table maildelivery
  add column mailcontentid bigint references mailcontent,
  add column slotdate timestamptz;

-- Each unsent mail keeps its content, sealed as it is, under the number of its delivery.
insert into mailcontent (mailcontentid, content, createddate) overriding system value
  select maildeliveryid, content, createddate from maildelivery where content is not null;
update maildelivery set mailcontentid = maildeliveryid where content is not null;
select setval(pg_get_serial_sequence('mailcontent', 'mailcontentid'), coalesce(max(mailcontentid), 0) + 1, false) from mailcontent;
alter table maildelivery drop column content;

alter table mailoutbound add column messagesperminute integer;

-- When each mail server may take the next mail, of those with a limit per minute.
create table mailpace (
  server text collate "C" primary key,
  nextslot timestamptz not null
);
alter table mailpace enable row level security;

-- online: maildelivery and messagerecipient are large
create index concurrently if not exists maildelivery_mailcontentid_idx on maildelivery (mailcontentid) where mailcontentid is not null;
create index concurrently if not exists maildelivery_internetmessageid_idx on maildelivery (internetmessageid);
create index concurrently if not exists messagerecipient_waiting_idx on messagerecipient (messageid) where status = 'Waiting';
