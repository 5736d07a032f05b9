-- What assigning a loan that waited to the loan of its number changed, so that it can be undone.
create table loanassignment (
  loanassignmentid bigint generated always as identity primary key,
  loanid bigint not null,
  -- The loan that waited. It was deleted, unless it became the loan of its number.
  waitingloanid bigint not null,
  processids bigint[] not null,
  method varchar(9) collate "C" not null check (method in ('Staff', 'Automatic', 'Matrix')),
  callid text collate "C" not null,
  -- The changed records in order: [{"object": "Contact", "change": "Moved", "ids": [5]}].
  changes jsonb not null,
  createddate timestamptz not null,
  createdpersonid bigint,
  undonedate timestamptz,
  undonepersonid bigint
);
create index loanassignment_loanid_idx on loanassignment (loanid);

-- The numbers for which a firm's first referral was compared with the loan. A second comparison would answer another guess.
create table loanassignmentattempt (
  organizationid bigint not null,
  agency text collate casewright_text,
  loan text collate casewright_text not null,
  createddate timestamptz not null,
  unique nulls not distinct (organizationid, loan, agency)
);
