-- Messaging: what becomes of a message at each recipient, mailboxes whose mail becomes messages, and the mail that they
-- received, addresses to which no mail is sent, and links by which outsiders read a message.

alter table message
  add column threadid bigint references message on delete set null,
  add column internetmessageid varchar(500) collate "C",
  add column sentdate timestamptz,
  add column mailinboundid bigint,
  add column receiveddate timestamptz,
  add column filedby varchar(11) collate casewright_text,
  add column fileddetail varchar(1000) collate casewright_text,
  add column subjectchanged boolean,
  add column autosubmitted boolean;

alter table messagetemplate
  add column toaddress varchar(2000) collate "C",
  add column ccaddress varchar(2000) collate "C",
  add column bccaddress varchar(2000) collate "C",
  add column replytoaddress varchar(2000) collate "C",
  add column tomethod varchar(2000) collate "C",
  add column ccmethod varchar(2000) collate "C",
  add column bccmethod varchar(2000) collate "C",
  add column replytomethod varchar(2000) collate "C",
  add column bodylanguage varchar(6) collate casewright_text,
  add column attachmenttemplates varchar(2000) collate casewright_text,
  add column provider varchar(100) collate casewright_text,
  add column securedelivery boolean,
  add column isbulk boolean,
  add column variantofid bigint references messagetemplate,
  add column language varchar(60) collate casewright_text;

create table messagerecipient (
  messagerecipientid bigint generated always as identity primary key,
  messagerecipient varchar(320) collate casewright_text,
  status varchar(100) collate casewright_text,
  messagerecipienttype varchar(100) collate casewright_text,
  messageid bigint not null references message on delete cascade,
  category integer check (category between 0 and 3),
  name varchar(255) collate casewright_text,
  contactid bigint references contact,
  personid bigint references person,
  detail varchar(300) collate casewright_text,
  maildeliveryid bigint,
  sentdate timestamptz,
  receiveddate timestamptz,
  readdate timestamptz,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint,
  custom jsonb check (jsonb_typeof(custom) = 'object')
);
create index messagerecipient_messageid_idx on messagerecipient (messageid);
create index messagerecipient_contactid_idx on messagerecipient (contactid);
create index messagerecipient_personid_idx on messagerecipient (personid);
create index messagerecipient_reach_idx on messagerecipient (reachorganizationid, createddate);
create trigger messagerecipient_history after update or delete on messagerecipient for each row execute function casewright_history();
select casewright_open('messagerecipient', 'one');
create function casewright_reach_messagerecipient()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := (select reachorganizationid from message where messageid = new.messageid);
  return new;
end $function$;
create trigger messagerecipient_reach before insert or update of messageid, reachorganizationid on messagerecipient
  for each row execute function casewright_reach_messagerecipient();

create table mailinbound (
  mailinboundid bigint generated always as identity primary key,
  mailinbound varchar(100) collate casewright_text,
  status varchar(100) collate casewright_text,
  mailinboundtype varchar(100) collate casewright_text,
  description varchar(2000) collate casewright_text,
  sequence integer,
  active boolean,
  organizationid bigint references organization,
  address varchar(254) collate "C",
  host varchar(255) collate "C",
  port integer,
  security varchar(8) collate casewright_text,
  authorities varchar(30000) collate "C",
  username varchar(255) collate "C",
  password varchar(2000) collate "C",
  tokenurl varchar(2000) collate "C",
  folder varchar(500) collate "C",
  receivedfolder varchar(500) collate "C",
  since timestamptz,
  timeoutseconds integer,
  options varchar(10000) collate "C",
  secrets varchar(30000) collate "C",
  state varchar(12) collate casewright_text,
  lastlook timestamptz,
  lastsuccess timestamptz,
  lasterror varchar(500) collate "C",
  behind integer,
  uidvalidity varchar(100) collate "C",
  lastuid varchar(100) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index mailinbound_organizationid_idx on mailinbound (organizationid);
create trigger mailinbound_history after update or delete on mailinbound for each row execute function casewright_history('password', 'secrets', 'state', 'lastlook', 'lastsuccess', 'lasterror', 'behind', 'uidvalidity', 'lastuid');
select casewright_open('mailinbound', 'none');
create trigger mailinbound_configuration after insert or update or delete on mailinbound for each statement execute function casewright_configuration();

create table mailprocessor (
  mailprocessorid bigint generated always as identity primary key,
  mailprocessor varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  mailprocessortype varchar(100) collate casewright_text,
  mailinboundid bigint not null references mailinbound,
  sequence integer,
  active boolean,
  processor varchar(9) collate casewright_text,
  messagestatement varchar(2000) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create index mailprocessor_mailinboundid_idx on mailprocessor (mailinboundid);
create trigger mailprocessor_history after update or delete on mailprocessor for each row execute function casewright_history();
select casewright_open('mailprocessor', 'none');

create table mailreceipt (
  mailreceiptid bigint generated always as identity primary key,
  mailreceipt varchar(1000) collate casewright_text,
  status varchar(100) collate casewright_text,
  mailreceipttype varchar(100) collate casewright_text,
  mailinboundid bigint not null references mailinbound,
  folder varchar(500) collate "C",
  uidvalidity varchar(100) collate "C",
  uid varchar(100) collate "C",
  headerhash varchar(64) collate "C",
  contenthash varchar(64) collate "C",
  internetmessageid varchar(500) collate "C",
  inreplyto varchar(500) collate "C",
  earlierids jsonb,
  messageid bigint references message on delete set null,
  fromaddress varchar(320) collate casewright_text,
  receiveddate timestamptz,
  size integer,
  attachmentid bigint references attachment,
  reason varchar(1000) collate "C",
  attempts integer,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create unique index mailreceipt_mail_key on mailreceipt (mailinboundid, folder, uidvalidity, uid);
create index mailreceipt_internetmessageid_idx on mailreceipt (internetmessageid);
create index mailreceipt_status_idx on mailreceipt (mailinboundid, status, createddate);
create index mailreceipt_messageid_idx on mailreceipt (messageid);
create index mailreceipt_attachmentid_idx on mailreceipt (attachmentid);
select casewright_open('mailreceipt', 'none');

create table mailsuppression (
  mailsuppressionid bigint generated always as identity primary key,
  mailsuppression varchar(320) collate casewright_text,
  status varchar(100) collate casewright_text,
  mailsuppressiontype varchar(100) collate casewright_text,
  reason varchar(12) collate casewright_text,
  scope varchar(4) collate casewright_text,
  messageid bigint references message on delete set null,
  detail varchar(300) collate casewright_text,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create unique index mailsuppression_address_key on mailsuppression (mailsuppression, scope);
create index mailsuppression_messageid_idx on mailsuppression (messageid);
create trigger mailsuppression_history after update or delete on mailsuppression for each row execute function casewright_history();
select casewright_open('mailsuppression', 'none');

create table securelink (
  securelinkid bigint generated always as identity primary key,
  securelink varchar(320) collate casewright_text,
  status varchar(100) collate casewright_text,
  securelinktype varchar(100) collate casewright_text,
  messageid bigint not null references message on delete cascade,
  messagerecipientid bigint not null references messagerecipient on delete cascade,
  tokenhash varchar(64) collate "C",
  expirydate timestamptz,
  revokeddate timestamptz,
  lastread timestamptz,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create unique index securelink_tokenhash_key on securelink (tokenhash);
create index securelink_messageid_idx on securelink (messageid);
create index securelink_messagerecipientid_idx on securelink (messagerecipientid);
create trigger securelink_history after update or delete on securelink for each row execute function casewright_history('tokenhash');
select casewright_open('securelink', 'none');

alter table message add constraint message_mailinboundid_fkey foreign key (mailinboundid) references mailinbound;
alter table messagerecipient add constraint messagerecipient_maildeliveryid_fkey foreign key (maildeliveryid)
  references maildelivery on delete set null;
create index messagerecipient_maildeliveryid_idx on messagerecipient (maildeliveryid);
alter table maildelivery
  add column messageid bigint references message on delete set null,
  add column messagerecipientid bigint references messagerecipient on delete set null;

-- A message's recipients are seen by the firm that sees the message.
create or replace function casewright_reach_spread()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  class text := tg_argv[0];
  parentid bigint := (to_jsonb(new) ->> (tg_table_name || 'id'))::bigint;
begin
  update contact set objectid = objectid where object = class and objectid = parentid;
  update importform set reachorganizationid = null where object = class and objectid = parentid;
  update decisiondelay set reachorganizationid = null where object = class and objectid = parentid;
  update message set reachorganizationid = null where object = class and objectid = parentid;
  update attachment set reachorganizationid = null where object = class and objectid = parentid;
  update ledger set reachorganizationid = null where object = class and objectid = parentid;
  update score set reachorganizationid = null where object = class and objectid = parentid;
  update decision set reachorganizationid = null where object = class and objectid = parentid;
  case class
    when 'Ledger' then update ledgeritem set reachorganizationid = null where ledgerid = parentid;
    when 'Score' then update scoreitem set reachorganizationid = null where scoreid = parentid;
    when 'Message' then update messagerecipient set reachorganizationid = null where messageid = parentid;
    when 'Decision' then update decisionstep set reachorganizationid = null where decisionid = parentid;
    else null;
  end case;
  return null;
end $function$;

-- When each user read each message.
create table messageread (
  messageid bigint not null references message on delete cascade,
  personid bigint not null references person on delete cascade,
  readdate timestamptz not null,
  primary key (personid, messageid)
);
create index messageread_messageid_idx on messageread (messageid);
alter table messageread enable row level security;

-- One-time codes that were mailed to recipients of secure links; only their hashes are stored.
create table securelinkcode (
  securelinkid bigint primary key references securelink on delete cascade,
  codehash varchar(64) collate "C" not null,
  expirydate timestamptz not null,
  tries integer not null default 0,
  createddate timestamptz not null default now()
);
alter table securelinkcode enable row level security;

-- Who read what by a secure link, and when.
create table securelinkread (
  securelinkreadid bigint generated always as identity primary key,
  securelinkid bigint not null references securelink on delete cascade,
  readdate timestamptz not null,
  what varchar(20) collate "C" not null,
  detail varchar(300) collate casewright_text,
  personid bigint references person on delete set null,
  address varchar(60) collate "C"
);
create index securelinkread_securelinkid_idx on securelinkread (securelinkid, readdate);
create index securelinkread_personid_idx on securelinkread (personid);
alter table securelinkread enable row level security;

-- Roles that leave administration to administrators leave mailboxes to them too. Inserted where a new installation has
-- them, so that an unchanged role equals its definition.
update role
set permissions = btrim(replace(' ' || (permissions collate "C") || ' ', ' -MailDelivery* ',
    ' -MailDelivery* -MailInbound* -MailProcessor* -MailReceipt* -MailSuppression* -SecureLink* ')),
  updateddate = now(), version = version + 1
where strpos(' ' || (permissions collate "C") || ' ', ' -MailDelivery* ') > 0
  and strpos(permissions collate "C", '-MailInbound*') = 0;

-- online: message and maildelivery are large
create index concurrently if not exists messagetemplate_variantofid_idx on messagetemplate (variantofid);
create index concurrently if not exists message_threadid_idx on message (threadid);
create index concurrently if not exists message_internetmessageid_idx on message (internetmessageid);
create index concurrently if not exists message_mailinboundid_idx on message (mailinboundid, receiveddate);
create index concurrently if not exists message_unfiled_idx on message (receiveddate) where status = 'Unfiled';
create index concurrently if not exists maildelivery_messageid_idx on maildelivery (messageid);
create index concurrently if not exists maildelivery_messagerecipientid_idx on maildelivery (messagerecipientid);
