-- Sign-ins at a browser. They stand until they end or expire; the cookie's token is kept as a hash only.

create table session (
  sessionid bigint generated always as identity primary key,
  session varchar(255) collate casewright_text,
  status varchar(100) collate casewright_text,
  sessiontype varchar(100) collate casewright_text,
  personid bigint not null references person,
  tokenhash varchar(64) collate "C",
  passwordmark varchar(64) collate "C",
  address varchar(60) collate "C",
  lastseen timestamptz,
  expires timestamptz,
  endeddate timestamptz,
  createddate timestamptz not null default now(),
  createdpersonid bigint,
  updateddate timestamptz not null default now(),
  updatedpersonid bigint,
  version integer not null default 1
);
create unique index session_tokenhash_idx on session (tokenhash);
create index session_personid_idx on session (personid);
select casewright_open('session', 'none');


-- What people look for by its first letters: the label of cases and what they are about, folded as `record/find` folds it.
create index process_label_idx on process ((casewright_fold(process) collate "C"));
create index loan_label_idx on loan ((casewright_fold(loan) collate "C"));
create index property_label_idx on property ((casewright_fold(property) collate "C"));
create index contact_label_idx on contact ((casewright_fold(contact) collate "C"));
-- The servicer's number is what a servicer's letter names.
create index loan_servicerloanid_idx on loan (servicerloanid);
