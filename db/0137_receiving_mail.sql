-- Receiving mail: which process reads a mailbox, what a mail that could not be filed probably belongs to, automatic
-- answers, the evidence by which mail is filed, and who sees received mail.

-- The process that watches a mailbox. One row for each mailbox that was ever watched.
create table mailboxlease (
  mailinboundid bigint primary key references mailinbound on delete cascade,
  leaseid uuid,
  leaseduntil timestamptz
);
alter table mailboxlease enable row level security;

-- The record to which an unfiled message probably belongs, until a person decides.
create table messageproposal (
  messageid bigint primary key references message on delete cascade,
  object varchar(60) collate "C" not null,
  objectid bigint not null,
  parentmessageid bigint references message on delete set null,
  filedby varchar(11) collate casewright_text not null,
  detail varchar(1000) collate casewright_text not null,
  createddate timestamptz not null
);
create index messageproposal_object_idx on messageproposal (object, objectid);
create index messageproposal_parentmessageid_idx on messageproposal (parentmessageid);
alter table messageproposal enable row level security;

-- Documents of a record that were filed with a received message, beside the message's own.
create table messagefile (
  attachmentid bigint primary key references attachment on delete cascade,
  messageid bigint not null references message on delete cascade
);
create index messagefile_messageid_idx on messagefile (messageid);
alter table messagefile enable row level security;

-- The last automatic answer to each sender of a conversation.
create table mailanswer (
  threadid bigint not null references message on delete cascade,
  address varchar(320) collate casewright_text not null,
  answereddate timestamptz not null,
  primary key (threadid, address)
);
alter table mailanswer enable row level security;

-- What a look at a mailbox found is no change of configuration.
drop trigger mailinbound_configuration on mailinbound;
create trigger mailinbound_configuration after insert or delete or update of mailinbound, mailinboundtype, status,
  sequence, active, organizationid, address, host, port, security, authorities, username, password, tokenurl, folder,
  receivedfolder, since, timeoutseconds, options, secrets on mailinbound
  for each statement execute function casewright_configuration();

-- A received message is visible to the firm whose mailbox received it, or that sees the message that it answers, if
-- that firm sees the record on which it is filed. Its files are visible with it.
create or replace function casewright_reach_message()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
declare
  firms bigint[];
begin
  new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from messagetemplate where messagetemplateid = new.messagetemplateid), new.messagetemplateid is not null, new.createdpersonid);
  if new.mailinboundid is not null and new.object is not null then
    firms := casewright_reach_below(new.object, new.objectid);
    new.reachorganizationid := coalesce(
      (select organizationid from mailinbound where mailinboundid = new.mailinboundid and organizationid = any(firms)),
      (select reachorganizationid from message where messageid = new.parentmessageid and reachorganizationid = any(firms)),
      new.reachorganizationid);
  end if;
  return new;
end $function$;
create or replace trigger message_reach before insert or update of object, objectid, messagetemplateid, mailinboundid,
  parentmessageid, reachorganizationid on message for each row execute function casewright_reach_message();

create or replace function casewright_reach_attachment()
  returns trigger language plpgsql security definer set search_path to 'public', 'pg_temp'
as $function$
begin
  if new.object = 'Message' and exists (select from message where messageid = new.objectid and mailinboundid is not null) then
    new.reachorganizationid := (select reachorganizationid from message where messageid = new.objectid);
  else
    new.reachorganizationid := casewright_reach_child(new.object, new.objectid, (select extranetenabled from attachmenttemplate where attachmenttemplateid = new.attachmenttemplateid), new.attachmenttemplateid is not null, new.createdpersonid);
  end if;
  return new;
end $function$;

-- A message that names no conversation is of that of the message that it answers, or begins one.
create function casewright_thread_of_message()
  returns trigger language plpgsql set search_path to 'public', 'pg_temp'
as $function$
begin
  new.threadid := coalesce(
    (select coalesce(threadid, messageid) from message where messageid = new.parentmessageid), new.messageid);
  return new;
end $function$;
create trigger message_thread before insert on message for each row when (new.threadid is null)
  execute function casewright_thread_of_message();

-- online: message and mailreceipt are large
create index concurrently if not exists mailreceipt_earlierids_idx on mailreceipt using gin (earlierids);
create index concurrently if not exists mailreceipt_headerhash_idx on mailreceipt (mailinboundid, headerhash);
create index concurrently if not exists message_subject_start_idx on message
  (left(casewright_fold(message::text) collate "C", 16));
