-- down: all staging tables, with what bulk imports have loaded into them
drop table staginguse;
-- The role stays: it belongs to the whole server, and other databases may use it.
drop schema staging cascade;
