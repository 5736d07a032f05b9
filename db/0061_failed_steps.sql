-- online: failed steps, to flag their cases in lists. There are few.
create index concurrently if not exists decisionstep_failed_idx on decisionstep (decisionid) where actualcompletion is null and canceleddate is null
  and status = 'Error';
