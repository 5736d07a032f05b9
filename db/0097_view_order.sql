-- The order of a view, under a name that a search of views does not use itself.
alter table view rename column orderby to sortedby;
alter view if exists report.view rename column orderby to sortedby;
