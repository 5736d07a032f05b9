-- down: the IDs of added records are compressed again
alter table recordadded alter ids set storage extended;
