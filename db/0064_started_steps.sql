-- online: steps that a queued call runs, to find those whose call is lost or a dead letter. Few steps run at a time.
create index concurrently if not exists decisionstep_started_idx on decisionstep (updateddate) where actualcompletion is null and canceleddate is null
  and status = 'Started';
