-- down: which documents a message had when its secure links were sent; they then show all.
drop table securelinkfile;
