-- online: cases on hold by the due date of their next tasks.
create index concurrently if not exists casesummary_hold_due_idx on casesummary (nextdue, casesummaryid)
  where hold is not null;
