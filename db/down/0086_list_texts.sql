-- down: nothing; lists of cases are filtered more slowly
drop index if exists casesummary_casesummary_start_idx, casesummary_borrower_start_idx, casesummary_address_start_idx,
  casesummary_loannumber_start_idx;
