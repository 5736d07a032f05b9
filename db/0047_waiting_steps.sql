-- online: steps that wait for a poll, a workflow or a batch, to find those whose call was lost. Few steps: most wait for tasks.
create index concurrently if not exists decisionstep_pending_idx on decisionstep (updateddate) where actualcompletion is null and canceleddate is null
  and status = 'Pending' and object is distinct from 'ImportForm';
