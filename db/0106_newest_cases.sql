-- online: lists of cases are sorted by the day on which they were opened, the newest first.
create index concurrently if not exists casesummary_newest_idx
  on casesummary (dateopened desc nulls last, casesummaryid);
