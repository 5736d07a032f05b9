-- MailHouse: A company that prints and mails letters. A mailing that names none goes to the first by Sequence.
-- DeliveryBatch: Letters that are submitted to a mail house together: the decision to mail them, and how far it has come.
-- Delivery: A document that is mailed to a recipient: the address as it was sent, and what became of the letter.

create table mailhouse (
  mailhouseid bigint generated always as identity primary key,
  mailhouse varchar(100) collate casewright_text not null,
  status varchar(100) collate casewright_text,
  mailhousetype varchar(100) collate casewright_text not null,
  description varchar(2000) collate casewright_text,
  sequence integer,
  options varchar(10000) collate "C",
  secrets varchar(30000) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create unique index mailhouse_mailhouse_key on mailhouse (mailhouse);
create trigger mailhouse_history after update or delete on mailhouse for each row execute function casewright_history('secrets');
select casewright_open('mailhouse', 'none');
create trigger mailhouse_configuration after insert or update or delete on mailhouse for each statement execute function casewright_configuration();

create table deliverybatch (
  deliverybatchid bigint generated always as identity primary key,
  deliverybatch varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  deliverybatchtype varchar(100) collate casewright_text,
  mailhouse varchar(100) collate casewright_text,
  mailclass varchar(40) collate casewright_text,
  batchkey varchar(100) collate "C",
  attempts integer,
  nextattempt timestamptz,
  retryuntil timestamptz,
  leaseduntil timestamptz,
  requesteddate timestamptz,
  requestedpersonid bigint,
  lasterror varchar(300) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  check (status in ('Preparing', 'Prepared', 'Waiting', 'Sending', 'Submitted', 'Canceled')),
  check ((status = 'Sending') = (leaseduntil is not null))
);
create unique index deliverybatch_batchkey_key on deliverybatch (batchkey);
create index deliverybatch_due_idx on deliverybatch (nextattempt) where status in ('Waiting', 'Sending');
create trigger deliverybatch_history after update or delete on deliverybatch for each row execute function casewright_history();
select casewright_open('deliverybatch', 'none');

create table delivery (
  deliveryid bigint generated always as identity primary key,
  delivery varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  deliverytype varchar(100) collate casewright_text,
  deliverybatchid bigint not null references deliverybatch,
  object varchar(60) collate "C",
  objectid bigint,
  attachmentid bigint references attachment,
  attachmenttemplateid bigint references attachmenttemplate,
  filehash varchar(64) collate "C",
  contactid bigint references contact,
  recipientname varchar(255) collate casewright_text,
  street varchar(255) collate casewright_text,
  city varchar(100) collate casewright_text,
  state varchar(2) collate casewright_text,
  postalcode varchar(10) collate casewright_text,
  mailhouse varchar(100) collate casewright_text,
  mailclass varchar(40) collate casewright_text,
  pages integer,
  sheets integer,
  cost numeric(19,4),
  letterkey varchar(36) collate "C" not null,
  submissionkey varchar(80) collate "C",
  reference varchar(200) collate "C",
  trackingnumber varchar(60) collate "C",
  begundate timestamptz,
  prepareddate timestamptz,
  submitteddate timestamptz,
  maileddate timestamptz,
  delivereddate timestamptz,
  returneddate timestamptz,
  canceleddate timestamptz,
  faileddate timestamptz,
  unknowndate timestamptz,
  trackeddate timestamptz,
  reason varchar(300) collate "C",
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1,
  reachorganizationid bigint,
  custom jsonb check (jsonb_typeof(custom) = 'object'),
  check (status in ('Preparing', 'Prepared', 'Queued', 'Unknown', 'Submitted', 'Mailed', 'Delivered', 'Returned', 'Canceled',
    'Failed')),
  -- What nobody has begun to transmit is in nobody's hands.
  check (begundate is not null or status not in ('Unknown', 'Submitted', 'Mailed', 'Delivered', 'Returned'))
);
create unique index delivery_letterkey_key on delivery (letterkey);
create index delivery_deliverybatchid_idx on delivery (deliverybatchid, status);
create index delivery_object_idx on delivery (objectid, object);
create index delivery_attachmentid_idx on delivery (attachmentid);
create index delivery_attachmenttemplateid_idx on delivery (attachmenttemplateid) where attachmenttemplateid is not null;
create index delivery_contactid_idx on delivery (contactid, status);
create index delivery_open_idx on delivery (trackeddate nulls first, deliveryid) where status in ('Unknown', 'Submitted', 'Mailed');
create index delivery_reach_idx on delivery (reachorganizationid, createddate);
create trigger delivery_history after update or delete on delivery for each row execute function casewright_history();
select casewright_open('delivery', 'one');

-- A letter is visible to the firm that sees its document; one without a document yet to no firm.
create function casewright_reach_delivery() returns trigger language plpgsql security definer
  set search_path to 'public', 'pg_temp'
as $function$
begin
  new.reachorganizationid := (select reachorganizationid from attachment where attachmentid = new.attachmentid);
  return new;
end $function$;
create trigger delivery_reach before insert or update of attachmentid, reachorganizationid on delivery for each row execute function casewright_reach_delivery();

create function casewright_reach_document_deliveries() returns trigger language plpgsql security definer
  set search_path to 'public', 'pg_temp'
as $function$
begin
  update delivery set reachorganizationid = null where attachmentid = new.attachmentid;
  return null;
end $function$;
create trigger attachment_reach_deliveries after update on attachment for each row when (new.reachorganizationid is distinct from old.reachorganizationid) execute function casewright_reach_document_deliveries();

-- Notices of mail houses that were received, so that none is taken twice.
create table deliverynotice (
  mailhouse varchar(100) collate casewright_text not null,
  notice varchar(200) collate "C" not null,
  receiveddate timestamptz not null,
  primary key (mailhouse, notice)
);
create index deliverynotice_receiveddate_idx on deliverynotice (receiveddate);

-- Roles that leave administration to administrators leave mail houses to them too. Inserted where a new installation has
-- it, so that an unchanged role equals its definition.
update role
set permissions = btrim(replace(' ' || (permissions collate "C") || ' ', ' -MailDelivery* ', ' -MailDelivery* -MailHouse* ')),
  updateddate = now(), version = version + 1
where strpos(' ' || (permissions collate "C") || ' ', ' -MailDelivery* ') > 0
  and strpos(permissions collate "C", '-MailHouse*') = 0;
