-- down: nothing
drop index if exists decisionstep_pending_idx;
