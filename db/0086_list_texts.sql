-- The list of open cases comes before the cases of the user, who may not have any.
update view set position = 5, version = version + 1
  where view = 'Open' and recordtype = 'CaseSummary' and position = 20 and personid is null and collectionid is null;

-- online: the beginnings of the texts by which people look for a case.
create index concurrently if not exists casesummary_casesummary_start_idx on casesummary
  (casewright_fold(casesummary) collate "C");
create index concurrently if not exists casesummary_borrower_start_idx on casesummary
  (casewright_fold(borrower) collate "C");
create index concurrently if not exists casesummary_address_start_idx on casesummary
  (casewright_fold(address) collate "C");
create index concurrently if not exists casesummary_loannumber_start_idx on casesummary
  (casewright_fold(loannumber) collate "C");
