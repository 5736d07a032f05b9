-- down: which originals of moved documents are still to be removed; they stay in their storage locations
drop table fileremoval;
