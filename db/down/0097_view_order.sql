-- down: nothing; a search of views cannot filter by their order
alter table view rename column sortedby to orderby;
alter view if exists report.view rename column sortedby to orderby;
