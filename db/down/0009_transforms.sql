-- down: the stylesheets that were saved, with their history
drop view report.transform;
drop table transform;
delete from history where tablename = 'transform';
