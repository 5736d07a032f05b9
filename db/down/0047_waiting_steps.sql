-- down: nothing
drop index decisionstep_pending_idx;
