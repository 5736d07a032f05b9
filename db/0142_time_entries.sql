-- Time entries: whose time a line records, and who approved or rejected a line, when and why.
alter table ledgeritem
  add column personid bigint references person,
  add column reviewpersonid bigint references person,
  add column reviewdate timestamptz,
  add column reviewreason varchar(1000) collate casewright_text;

-- online: ledgeritem is large
create index concurrently if not exists ledgeritem_personid_idx on ledgeritem (personid) where personid is not null;
create index concurrently if not exists ledgeritem_reviewpersonid_idx on ledgeritem (reviewpersonid)
  where reviewpersonid is not null;
